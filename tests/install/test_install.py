# SPDX-License-Identifier: MIT
"""Installs into an empty folder and uses everything from there. Arguments: the folder of the build, and that with the FMUs."""
import gzip
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

FMUS = os.path.abspath(sys.argv.pop())
BUILD = os.path.abspath(sys.argv.pop())
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

PROGRAM = """
#include <stdio.h>
#include <takt/takt.h>
int main(int argc, char **argv)
{
    takt_error err = {0};
    takt_project *project = NULL;
    if (argc != 2 || takt_project_open(argv[1], NULL, &project, &err)) {
        puts(err.message);
        return 1;
    }
    printf("%s %d\\n", takt_version(), takt_project_count_components(project));
    takt_project_close(project);
    return 0;
}
"""

CMAKE = """
cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(Takt 0.1 REQUIRED)
find_package(FmuKit 0.1 REQUIRED)
add_executable(user user.c)
target_link_libraries(user PRIVATE Takt::Takt)
if(NOT COMMAND takt_add_fmu)
    message(FATAL_ERROR "the kit has no takt_add_fmu")
endif()
"""


def run(*words, **options):
    done = subprocess.run(words, capture_output=True, text=True, **options)
    if done.returncode:
        raise AssertionError(f"{words} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Installation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="install ")
        first = os.path.join(cls.folder.name, "first")
        run("cmake", "--install", BUILD, "--prefix", "/usr", env={**os.environ, "DESTDIR": first})
        os.rename(first, os.path.join(cls.folder.name, "root"))  # it works wherever it lies
        cls.prefix = os.path.join(cls.folder.name, "root", "usr")
        cls.takt = os.path.join(cls.prefix, "bin", "takt")
        cls.env = {name: value for name, value in os.environ.items() if name not in ("TAKT_LIBRARY", "PYTHONPATH", "TAKT_KIT")}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, *parts):
        return os.path.join(self.folder.name, *parts)

    def find(self, name):
        found = [os.path.join(folder, name) for folder, _, names in os.walk(self.prefix) if name in names]
        self.assertEqual(len(found), 1, f"{name}: {found}")
        return found[0]

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)

    def test_everything_has_its_place(self):
        for name, place in (("takt.1.gz", "share/man/man1"), ("takt-worker.1.gz", "share/man/man1"), ("takt.pc", "pkgconfig"), ("TaktConfig.cmake", "cmake/Takt"),
                            ("FmuKitConfig.cmake", "cmake/FmuKit"), ("takt.h", "include/takt"), ("libtakt.so", "lib"),
                            ("_takt", "vendor-completions"), ("takt.fish", "vendor_completions.d"), ("copyright", "share/doc/takt")):
            self.assertIn(place, os.path.dirname(self.find(name)))
        for name in ("takt", "takt-worker"):
            self.assertTrue(os.access(os.path.join(self.prefix, "bin", name), os.X_OK))
        self.assertTrue(os.path.islink(self.find("libtakt.so.1")))  # the soname

    def test_program_simulates_and_writes_projects_of_the_kit(self):
        work = self.path("work")
        os.makedirs(work, exist_ok=True)
        run(self.takt, "run", os.path.join(FMUS, "Gain.fmu"), "-q", "-o", "gain.csv", cwd=work, env=self.env)
        self.assertTrue(os.path.exists(os.path.join(work, "gain.csv")))

    def test_examples_run_from_where_they_are_installed(self):
        for name in ("math003", "lotka_volterra"):
            project = self.find(name + ".ssd")
            run(self.takt, "run", project, "-q", "--stop-time", "1", "-o", self.path(name + ".csv"), env=self.env)
        self.find("run_system.c")

    def build_and_try(self, project, *options):
        """Builds a project of `takt new-fmu`, runs its tests, and its FMUs by the installed program; their names."""
        run("cmake", "-S", project, "-B", project + "/build", *options, env=self.env)
        run("cmake", "--build", project + "/build", env=self.env)
        run("ctest", "--test-dir", project + "/build", "--no-tests=error", env=self.env)
        fmus = os.path.join(project, "build", "fmus")
        names = sorted(os.listdir(fmus))
        for name in names:
            run(self.takt, "run", os.path.join(fmus, name), "-q", "--stop-time", "1", "-o", "r.csv", cwd=project, env=self.env)
        return names

    def test_new_fmus_are_built_tested_and_run(self):
        self.write("new/keep", "")
        run(self.takt, "new-fmu", "Tank", "--input", "inflow:unit=m3/s", "--state", "volume:unit=m3:start=1", "--output",
            "level:unit=m", "--fmi", "1,1me,2,3", cwd=self.path("new"), env=self.env)
        names = self.build_and_try(self.path("new", "Tank"))
        self.assertEqual(names, ["Tank.fmu", "Tank_fmi1.fmu", "Tank_fmi1me.fmu", "Tank_fmi3.fmu"])

    def test_new_fmus_are_like_others_of_every_version(self):
        for suffix in ("_fmi1", "_fmi1me", "", "_fmi3"):
            with self.subTest(version=suffix):
                self.write("like/keep", "")
                run(self.takt, "new-fmu", "My" + suffix, "--like", os.path.join(FMUS, f"Tank{suffix}.fmu"), cwd=self.path("like"),
                    env=self.env)
                names = self.build_and_try(self.path("like", "My" + suffix))
                self.assertEqual(names, [f"My{suffix}{suffix}.fmu"])

    def test_new_fmus_may_have_the_implicit_solver(self):
        sundials = os.path.join(BUILD, "deps", "sundials", "usr")
        if not os.path.isdir(sundials):
            self.skipTest("SUNDIALS is that of the system")
        self.write("stiff/keep", "")
        run(self.takt, "new-fmu", "Tank", "--state", "volume:start=1", cwd=self.path("stiff"), env=self.env)
        for name, old, new in (("CMakeLists.txt", "SOURCES Tank.c", "SOURCES Tank.c SOLVER"),
                               ("Tank.c", "#include <fmukit/fmukit.h>", "#include <fmukit/solver.h>"),
                               ("Tank.c", "    .functions =", "    .integrator = &fmukit_implicit,\n    .functions =")):
            with open(self.path("stiff", "Tank", name)) as file:
                text = file.read()
            self.assertIn(old, text)
            self.write("stiff/Tank/" + name, text.replace(old, new, 1))
        self.assertEqual(self.build_and_try(self.path("stiff", "Tank"), "-DFMUKIT_SUNDIALS=" + sundials), ["Tank.fmu"])

    def test_the_line_of_the_example_compiles_it(self):
        with open(os.path.join(SOURCE, "examples", "api", "README.md")) as file:
            lines = [line.strip() for line in file if line.startswith("    cc ")]
        self.assertEqual(len(lines), 1)
        tree, example = self.path("tree"), os.path.join(SOURCE, "examples")
        os.makedirs(tree)
        for name, target in (("include", os.path.join(SOURCE, "include")), ("build", BUILD), ("examples", example)):
            os.symlink(target, os.path.join(tree, name))
        shutil.copy(os.path.join(example, "api", "run_system.c"), os.path.join(tree, "my_program.c"))
        run("sh", "-c", lines[0], cwd=tree, env=self.env)
        out = run("./my_program", "examples/lotka_volterra/lotka_volterra.ssd", "lv.csv", cwd=tree, env=self.env)
        self.assertIn("largest Prey.x: 38.3879", out)

    def test_programs_are_built_by_pkg_config(self):
        self.write("pc/user.c", PROGRAM)
        with tempfile.TemporaryDirectory(dir="/tmp") as plain:  # pkg-config itself does not bear every name of a folder
            prefix = os.path.join(plain, "prefix")
            os.symlink(self.prefix, prefix)
            env = {**self.env, "PKG_CONFIG_PATH": os.path.dirname(self.find("takt.pc")).replace(self.prefix, prefix)}
            flags = run("pkg-config", "--cflags", "--libs", "takt", env=env).split()
            run("cc", "-Wall", "-Werror", "user.c", *flags, "-o", "user", cwd=self.path("pc"), env=env)
            version = run("pkg-config", "--modversion", "takt", env=env).strip()
        env["LD_LIBRARY_PATH"] = os.path.dirname(self.find("libtakt.so"))
        out = run("./user", os.path.join(FMUS, "Gain.fmu"), cwd=self.path("pc"), env=env)
        self.assertEqual(out, version + " 1\n")

    def test_programs_are_built_by_cmake(self):
        self.write("cm/user.c", PROGRAM)
        self.write("cm/CMakeLists.txt", CMAKE)
        run("cmake", "-S", self.path("cm"), "-B", self.path("cm", "build"), "-DCMAKE_PREFIX_PATH=" + self.prefix, env=self.env)
        run("cmake", "--build", self.path("cm", "build"), "--target", "user", env=self.env)
        out = run(self.path("cm", "build", "user"), os.path.join(FMUS, "Gain.fmu"), env=self.env)
        self.assertIn(" 1\n", out)

    def test_python_finds_the_library(self):
        env = {**self.env, "PYTHONPATH": os.path.dirname(os.path.dirname(self.find("_native.py")))}
        code = "import sys, takt; print(len(takt.simulate(sys.argv[1], stop_time=1, step_size=0.25))); print(takt._native.lib._name)"
        out = run(sys.executable, "-B", "-c", code, os.path.join(FMUS, "Gain.fmu"), cwd=self.folder.name, env=env)
        self.assertEqual(out.split("\n")[0], "5")
        self.assertIn(self.prefix, out)

    def test_manual_page_has_all_commands(self):
        with gzip.open(self.find("takt.1.gz"), "rt") as file:
            text = file.read()
        self.assertTrue(text.startswith(".TH TAKT 1"))
        for command in ("run", "new", "edit", "completion", "new-fmu"):
            self.assertIn(".SS takt " + command, text)
        self.assertIn("\\-\\-stop\\-time", text)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=text, capture_output=True, text=True)
            self.assertEqual(done.stderr, "")

    def test_the_debian_package_is_clean(self):
        if not all(map(shutil.which, ("cpack", "dpkg-shlibdeps", "dpkg-deb", "file"))):
            self.skipTest("needs cpack and dpkg-dev")
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # dpkg-shlibdeps does not bear every name of a folder
            run("cpack", "-G", "DEB", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-B", folder, cwd=folder)
            package = next(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".deb"))
            files = run("dpkg-deb", "--contents", package)
            for name in ("bin/takt", "libtakt.so.1", "takt.pc", "man1/takt.1.gz", "doc/takt/copyright", "takt/__init__.py"):
                self.assertIn(name, files)
            about = run("dpkg-deb", "--info", package)
            self.assertIn("Depends: ", about)
            self.assertIn("libxml2", about)
            if shutil.which("lintian"):
                done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error", package], capture_output=True, text=True,
                                      env={**os.environ, "TMPDIR": folder})  # nor does lintian
                self.assertEqual(done.returncode, 0, done.stdout)

    # ---- completion

    def complete(self, *words):
        script = self.find_bash()
        quoted = " ".join(shlex.quote(word) for word in words)
        code = (f"source '{script}'; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _takt; "
                "printf '%s\\n' \"${COMPREPLY[@]}\"")
        env = {**self.env, "PATH": os.path.join(self.prefix, "bin") + os.pathsep + os.environ["PATH"]}
        return [line for line in run("bash", "-c", code, env=env).split("\n") if line]

    def find_bash(self):
        return os.path.join(self.prefix, "share", "bash-completion", "completions", "takt")

    def test_words_are_completed(self):
        self.assertIn("convert", self.complete("takt", "con"))
        self.assertEqual(self.complete("takt", "run", "a.ssd", "--stop"), ["--stop-time"])
        self.assertIn("newton", self.complete("takt", "run", "a.ssd", "--algorithm", "n"))
        self.assertEqual(self.complete("takt", "graph", "a.ssd", "--format", "j"), ["json"])
        self.assertEqual(self.complete("takt", "edit", "a.ssd", "--disc"), ["--disconnect"])
        self.assertEqual(self.complete("takt", "completion", ""), ["bash", "zsh", "fish", "man"])

    def test_names_of_the_file_at_hand_are_completed(self):
        found = self.complete("takt", "run", shlex.quote(os.path.join(FMUS, "Gain.fmu")), "--set", "Gain.")
        self.assertIn("Gain.k", found)
        project = self.find("lotka_volterra.ssd")
        self.assertEqual(self.complete("takt", "edit", shlex.quote(project), "--remove", "P"), ["Prey", "Predator"])
        if shutil.which("fish"):
            code = f"source '{self.find('takt.fish')}'; complete -C \"takt edit '{project}' --rename P\""
            env = {**self.env, "PATH": os.path.join(self.prefix, "bin") + os.pathsep + os.environ["PATH"], "HOME": self.folder.name}
            found = run("fish", "-c", code, env=env).split("\n")
            self.assertEqual(sorted(line.split("\t")[0] for line in found if line), ["Predator", "Prey"])

    def test_columns_of_results_are_completed(self):
        # Names come from files of others: they are quoted, never run.
        with open(os.path.join(self.folder.name, "my rows.csv"), "w") as file:
            file.write("time,Tank.level,Tank.T,$(touch run),Ctl x.y z\n0,1,2,3,4\n")
        plain = os.path.join(self.folder.name, "my rows.csv")
        rows = re.sub(r"([^\w/.-])", r"\\\1", plain)  # as it is typed
        for word in (rows, shlex.quote(plain)):
            self.assertEqual(self.complete("takt", "plot", word, "--column", "Ta"), ["Tank.level", "Tank.T"])
        self.assertEqual(self.complete("takt", "plot", rows, "--over", "C"), [r"Ctl\ x.y\ z"])
        self.assertEqual(self.complete("takt", "plot", rows, "--column", "$"), [r"\$\(touch\ run\)"])
        self.assertFalse(os.path.exists("run"))

    def test_values_behind_equals_signs_are_completed(self):
        # A shell takes '=' for a word of its own.
        gain = os.path.join(FMUS, "Gain.fmu")
        self.assertEqual(self.complete("takt", "run", shlex.quote(gain), "--algorithm", "=", "ne"), ["newton"])
        self.assertIn("auto", self.complete("takt", "run", shlex.quote(gain), "--algorithm", "="))
        for option in (["--connect"], ["--connect", "="]):
            self.assertEqual(self.complete("takt", "run", shlex.quote(gain), *option, "A.y", "=", "Gain.u"), ["Gain.u"])
        self.assertEqual(self.complete("takt", "run", shlex.quote(gain), "--set", "Gain.k", "="), [])
        self.assertEqual(self.complete("takt", "new", "p.ssd", "--add", "T", "=", gain[:-3]), [gain])

    def test_other_shells_accept_their_scripts(self):
        for shell, words in (("zsh", ["-n"]), ("fish", ["--no-execute"])):
            text = run(self.takt, "completion", shell)
            self.assertIn("new-fmu", text)
            if shutil.which(shell):
                run(shell, *words, self.find("_takt" if shell == "zsh" else "takt.fish"))

    def test_wrong_words_are_refused(self):
        done = subprocess.run([self.takt, "completion", "csh"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("'csh' is none of bash", done.stderr)


if __name__ == "__main__":
    unittest.main()
