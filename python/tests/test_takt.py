# SPDX-License-Identifier: MIT
"""The Python package, with and without NumPy. The argument is the folder with the FMUs of the build."""
import ctypes
import gc
import inspect
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import typing
import unittest
import warnings

import takt
from takt import _arrays, _native

FMUS = sys.argv.pop() if len(sys.argv) > 1 and os.path.isdir(sys.argv[-1]) else os.path.join("build", "fmus")
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples")


def fmu(name):
    return os.path.join(FMUS, name + ".fmu")


def lotka_volterra(**options):
    system = takt.System(name="lv")
    system.add("Prey", fmu("LotkaVolterraPrey")).add("Predator", fmu("LotkaVolterraPredator"))
    system.connect("Prey.x", "Predator.x").connect("Predator.y", "Prey.y")
    return system.set_options(**{"stop_time": 10, **options})


class Simulate(unittest.TestCase):
    def test_simulate_gives_columns_and_units(self):
        result = takt.simulate(fmu("LotkaVolterraPrey"), stop_time=2, tolerance=1e-6, set={"LotkaVolterraPrey.x0": 3.0})
        self.assertEqual(result.names, ["LotkaVolterraPrey.x"])
        self.assertEqual(result.time[-1], 2)
        self.assertEqual(len(result["LotkaVolterraPrey.x"]), len(result))
        self.assertAlmostEqual(result["LotkaVolterraPrey.x"][-1], 3 * math.exp(0.2), places=4)
        self.assertEqual(result.statistics["status"], "ok")
        self.assertIn("LotkaVolterraPrey.x", result)
        with self.assertRaisesRegex(KeyError, "LotkaVolterraPrey.x"):
            result["nothing"]

    def test_simulate_is_what_the_program_does(self):
        result = takt.simulate(lotka_volterra(), step_size=0.1)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lv.csv")
            takt.simulate(lotka_volterra(), step_size=0.1, output=path)
            with open(path) as file:
                rows = [line.split(",") for line in file.read().splitlines()[1:]]
        self.assertEqual([float(row[1]) for row in rows], list(result["Prey.x"]))
        self.assertEqual([float(row[0]) for row in rows], list(result.time))

    def test_options_are_settings(self):
        result = takt.simulate(lotka_volterra(), step_size=0.5, algorithm="newton", record=["Predator.y"])
        self.assertEqual(result.names, ["Predator.y"])
        self.assertEqual(result.statistics["loops"][0]["algorithm"], "newton")
        with self.assertRaisesRegex(takt.UsageError, "did you mean 'step-size'"):
            takt.simulate(lotka_volterra(), step_siz=1)
        self.assertIn("step-size", [setting.name for setting in takt.settings()])

    def test_values_of_all_types_are_recorded(self):
        result = takt.simulate(fmu("Types3_fmi3"), stop_time=1, step_size=0.5)
        self.assertEqual(result["Types3_fmi3.string_out"][-1], "start & <text>")
        self.assertEqual(result["Types3_fmi3.int8_out"][-1], -128)
        self.assertEqual(result["Types3_fmi3.boolean_out"][-1], 1)

    @unittest.skipIf(_arrays.numpy is None, "needs NumPy")
    def test_arrays_are_views_that_outlive_the_result(self):
        result = takt.simulate(lotka_volterra())
        array, last = result["Prey.x"], result["Prey.x"][-1]
        self.assertFalse(array.flags.owndata)
        del result
        self.assertEqual(array[-1], last)

    @unittest.skipIf(_arrays.numpy is None, "needs NumPy")
    def test_values_may_be_those_of_numpy(self):
        numpy = _arrays.numpy
        system = lotka_volterra().set({"Prey.x0": numpy.float64(3)})
        with system.run(set={"Predator.y0": numpy.int64(4)}, tolerance=numpy.float32(1e-3)) as run:
            self.assertEqual((run["Prey.x"], run["Predator.y"]), (3, 4))
        system = takt.System().add("A", fmu("Arrays_fmi3")).set({"A.u": numpy.array([1.0, 2.0, 3.0])})
        with system.run(stop_time=1, step_size=0.5) as run:
            run["A.u"] = numpy.array([1, 2, 4])
            run.step()
            self.assertEqual(list(run["A.y"]), [2, 4, 8])

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("needs pandas")
        frame = takt.simulate(lotka_volterra()).to_pandas()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(list(frame.columns), ["Prey.x", "Predator.y"])

    def test_warnings_of_the_library_are_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            system = takt.System().add("A", fmu("Gain")).add("B", fmu("Gain")).set({"A.k": 0.5})
            system.connect("A.y", "B.u").connect("B.y", "A.u")
            takt.simulate(system, step_size=0.1, algorithm="seidel", stop_time=0.2)
        self.assertTrue(any(issubclass(one.category, takt.TaktWarning) for one in caught))


class Systems(unittest.TestCase):
    def test_content_is_listed_and_changed(self):
        system = lotka_volterra()
        self.assertEqual(list(system.components), ["Prey", "Predator"])
        system.rename("Prey", "Hare").disconnect("Predator.y")
        self.assertEqual(system.connections, [("Hare.x", "Predator.x")])
        self.assertEqual(system.auto_connect(), [("Predator.y", "Hare.y")])
        self.assertEqual(system.option("stop_time"), "10")
        system.remove("Hare")
        self.assertEqual(system.connections, [])

    def test_systems_are_saved_and_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lv.ssp")
            lotka_volterra().set({"Prey.x0": 4}).save(path)
            again = takt.System(path)
            self.assertEqual(again.connections[0], ("Prey.x", "Predator.x"))
            self.assertEqual(takt.simulate(again)["Prey.x"][0], 4)

    def test_systems_are_saved_as_often_as_one_likes(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("lv.ssd", "lv.ssp", "lv/"):
                path = os.path.join(folder, name)
                lotka_volterra().save(path)
                system = takt.System(path)
                for new_name in ("Hare", "Rabbit"):
                    system.rename(list(system.components)[0], new_name).set({new_name + ".x0": 7}).save(path).save(path)
                    again = takt.System(path)
                    self.assertEqual(list(again.components), [new_name, "Predator"])
                    self.assertEqual(again.connections, [(new_name + ".x", "Predator.x"), ("Predator.y", new_name + ".y")])
                    self.assertEqual(takt.simulate(again)[new_name + ".x"][0], 7)

    def test_problems_are_values_and_exceptions(self):
        system = lotka_volterra().add("Bad", "nothing.fmu").connect("Prey.z", "Predator.x")
        problems = system.check()
        self.assertEqual([problem.component for problem in problems], ["Bad", "Prey"])
        self.assertEqual(problems[0].severity, "error")
        with self.assertRaisesRegex(takt.UsageError, "nothing.fmu: cannot be opened") as caught:
            system.run()
        self.assertEqual(len(caught.exception.problems), 2)
        with self.assertRaisesRegex(takt.InputError, "nowhere.ssd"):
            takt.System("nowhere.ssd")

    def test_systems_can_be_looked_at(self):
        system = lotka_volterra()
        variables = {variable.name: variable for variable in system.variables("Prey")}
        self.assertEqual(variables["x0"].start, 10)
        self.assertEqual(variables["y"].causality, "input")
        self.assertTrue(variables["y"].connected)
        self.assertEqual(sorted(system.blocks()[0].members), ["Predator", "Prey"])
        self.assertTrue(system.blocks()[0].is_loop)
        system.add("C", fmu("Gain")).connect("Prey.x", "C.u")  # looking at it does not fix it
        self.assertEqual(system.variables("C")[0].name, "u")
        with system.run() as run:
            with self.assertRaisesRegex(takt.UsageError, "going on"):
                system.remove("C")
        self.assertNotIn("C", system.remove("C").components)


class Runs(unittest.TestCase):
    def test_runs_are_stepped_read_and_set(self):
        system = takt.System().add("Prey", fmu("LotkaVolterraPrey")).set_options(stop_time=2, tolerance=1e-6)
        with system.run() as run:
            self.assertEqual(run["Prey.x"], 10)
            run["Prey.y"] = 10
            self.assertTrue(run.to(1))
            self.assertEqual(run.time, 1)
            self.assertAlmostEqual(run["Prey.x"], 10 * math.exp(-0.1), places=3)
            run["Prey.y"] = 0
            self.assertFalse(run.to(2))
            self.assertAlmostEqual(run["Prey.x"], 10, places=3)
            with self.assertRaisesRegex(takt.UsageError, "Prey.x cannot be set"):
                run["Prey.x"] = 1
            with self.assertRaisesRegex(takt.UsageError, "no variable 'z'"):
                run["Prey.z"]
        with self.assertRaisesRegex(takt.UsageError, "closed"):
            run.step()
        with self.assertRaisesRegex(takt.UsageError, "has ended"):
            run["Prey.y"]

    def test_runs_of_one_system_have_their_own_start_values(self):
        system = lotka_volterra()
        for x0 in (3, 5):
            with system.run(set={"Prey.x0": x0}) as run:
                self.assertEqual(run["Prey.x"], x0)

    def test_runs_go_back_as_often_as_one_likes(self):
        with lotka_volterra().run(record=False) as run:
            run.to(2)
            saved, ends = run.save(), []
            for _ in range(3):
                run.restore(saved)
                self.assertEqual(run.time, 2)
                self.assertEqual(run["Prey.x"], ends[0][0] if ends else run["Prey.x"])
                before = run["Prey.x"]
                while run.step():
                    pass
                ends.append((before, run["Prey.x"]))
        self.assertEqual(ends[0], ends[1])
        self.assertEqual(ends[0], ends[2])
        with self.assertRaises(takt.UsageError):
            run.restore(saved)

    def test_options_are_for_one_run_alone(self):
        system = lotka_volterra()
        ends = []
        for tolerance in (1e-3, 1e-8, 1e-3):
            result = takt.simulate(system, tolerance=tolerance, stop_time=5, record="Prey.x*")
            self.assertEqual((result.names, result.time[-1]), (["Prey.x", "Prey.x0"], 5))
            ends.append((result.statistics["steps"], result["Prey.x"][-1]))
        self.assertEqual(ends[0], ends[2])
        self.assertLess(ends[0][0], ends[1][0])
        with self.assertRaisesRegex(takt.UsageError, "no variable 'nothing'"):
            system.run(set={"Prey.nothing": 1})

    def test_runs_go_on_from_bytes(self):
        system = lotka_volterra()
        with system.run() as run:
            run.to(2)
            data = run.serialize()
            end = run.finish()["Prey.x"][-1]
        with system.run(resume=data) as run:
            self.assertEqual((run.time, run.result.time[0]), (2, 2))
            self.assertEqual(run.finish()["Prey.x"][-1], end)
        with self.assertRaises(takt.InputError):
            system.run(resume=data[:-1])

    def test_results_may_be_kept_while_rows_are_added(self):
        with lotka_volterra(step_size=0.01).run() as run:
            run.to(1)
            early, first = run.result["Prey.x"], list(run.result["Prey.x"])
            run.finish()
            self.assertEqual(list(early), first)

    def test_runs_can_be_iterated(self):
        with lotka_volterra(step_size=1).run() as run:
            self.assertEqual(list(run), [float(i) for i in range(1, 11)])
            self.assertEqual(len(run.result), 11)

    def test_values_of_every_type(self):
        system = takt.System().add("T", fmu("Types3_fmi3")).add("A", fmu("Arrays_fmi3")).set_options(stop_time=1, step_size=0.5)
        with system.run() as run:
            run["T.string_in"], run["T.boolean_in"], run["T.binary_in"], run["T.int8_in"] = "hello", False, b"\0\xff", 7
            run["A.u"] = [1, 2, 3]
            run.step()
            self.assertEqual(run["T.string_out"], "hello")
            self.assertIs(run["T.boolean_out"], False)
            self.assertEqual(run["T.binary_out"], b"\0\xff")
            self.assertEqual(run["T.int8_out"], 7)
            self.assertEqual(list(run["A.y"]), [2, 4, 6])
            self.assertEqual(len(run["A.A"]), 2 if _arrays.numpy else 6)
            with self.assertRaisesRegex(takt.UsageError, "3 elements"):
                run["A.u"] = [1, 2]
            with self.assertRaisesRegex(takt.UsageError, "whole number"):
                run["T.int8_in"] = 1.5

    def test_views_read_in_bulk(self):
        with lotka_volterra().run() as run:
            view = run.view("Prey.x", "Predator.y", "Prey.a")
            run.to(1)
            values = view.read()
            self.assertEqual(list(values), [run["Prey.x"], run["Predator.y"], 0.1])
            run.to(2)
            view.read()  # the same array
            self.assertEqual(values[0], run["Prey.x"])

    def test_callbacks_see_every_row_and_may_stop(self):
        seen = []

        def look(t, values):
            seen.append((t, values["Prey.x"]))
            return t < 3

        with lotka_volterra(step_size=1).run(callback=look) as run:
            result = run.finish()
        self.assertEqual([t for t, _ in seen], [0, 1, 2, 3])
        self.assertEqual(list(result["Prey.x"]), [x for _, x in seen])

        def fail(t, values):
            raise ZeroDivisionError("mine")

        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            takt.simulate(lotka_volterra(), callback=fail)

    def test_runs_that_nobody_has_closed_end_before_their_log(self):
        from takt import _native
        order = []

        def note(name):
            end = getattr(_native, name)
            self.addCleanup(setattr, _native, name, end)
            setattr(_native, name, lambda handle: (order.append(name), end(handle)))

        gc.collect()
        for name in ("run_destroy", "project_close", "problem_list_destroy"):
            note(name)
        for _ in range(10):
            circle = []
            system = lotka_volterra()
            run = system.run(callback=lambda t, values, circle=circle: None)
            run.step()
            circle += [run, system]  # its members end in the order in which they were made, or any other
            del circle, system, run
            gc.collect()
        self.assertEqual(order.count("problem_list_destroy"), 10)
        self.assertEqual(order, sorted(order[:3], key=lambda name: name == "problem_list_destroy") * 10)
        self.assertEqual(_native.in_use, {})

    def test_views_and_their_arrays_end_in_any_order(self):
        from takt import _native
        gc.collect()
        before = len(_native.in_use)
        run = lotka_volterra().run()
        view, alone = run.view("Prey.x0"), run.view("Predator.y0").reals
        view.read()
        self.assertEqual(view.reals[0], 10)
        run["Prey.x0"]
        del run, view
        gc.collect()
        self.assertEqual(len(_native.in_use), before)
        self.assertEqual(len(alone), 1)
        alone[0] = 7  # still memory of its own
        del alone

    def test_other_threads_go_on_while_the_library_works(self):
        with lotka_volterra(stop_time=1e6, step_size=0.1).run(record=False) as run:
            other = threading.Thread(target=lambda: (time.sleep(0.05), run.cancel()))
            other.start()
            run.finish()
            other.join()
            self.assertTrue(0 < run.time < 1e6)

    def test_failures_of_a_simulation_are_exceptions(self):
        system = takt.System().add("M", fmu("Misbehave")).set({"M.what": 5, "M.when": 0.5})
        with system.run(stop_time=1, step_size=0.1) as run:
            with self.assertRaisesRegex(takt.SimulationError, "instance 'M' at t=0.4 s: fmi2DoStep failed"):
                run.finish()
            with self.assertRaises(takt.TaktError):
                run.step()
            self.assertEqual(len(run.result), 5)  # what was recorded stays

    def test_problems_are_told_once(self):
        system = lotka_volterra()
        for name in ("Prey.one", "Prey.two"):
            with self.assertRaises(takt.UsageError) as caught:
                system.run(set={name: 1})
            self.assertEqual(len(caught.exception.problems), 1)
            self.assertIn(name.split(".")[1], str(caught.exception))


class Types(unittest.TestCase):
    def test_everything_public_has_types(self):
        for name in takt.__all__:
            thing = getattr(takt, name)
            methods = [thing] if inspect.isfunction(thing) else [
                method for key, method in vars(thing).items() if not key.startswith("_")] if inspect.isclass(thing) else []
            for method in methods:
                function = method.fget if isinstance(method, property) else method
                if not inspect.isfunction(function):
                    continue
                with self.subTest(name=f"{name}.{function.__name__}"):
                    hints = typing.get_type_hints(function, vars(sys.modules[function.__module__]))
                    wanted = [p for p in inspect.signature(function).parameters if p != "self"]
                    self.assertEqual(sorted(hints), sorted([*wanted, "return"]))


class Native(unittest.TestCase):
    """Structs and functions are declared twice, in the headers and for ctypes."""

    def setUp(self):
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
        sys.path.insert(0, os.path.join(root, "tools"))
        import check_abi
        self.entries = check_abi.entries(root)

    def type_of(self, text):
        """What ctypes calls a type of C; all pointers are alike."""
        if "*" in text or "callback " + text in self.entries:
            return ctypes.c_void_p
        known = {"int": ctypes.c_int, "double": ctypes.c_double, "size_t": ctypes.c_size_t, "int64_t": ctypes.c_int64,
                 "long long": ctypes.c_longlong, "void": None}
        return known[text] if text in known else ctypes.c_int if "enum " + text in self.entries else text

    @staticmethod
    def plain(type_):
        is_pointer = type_ is ctypes.c_char_p or isinstance(type_, (type(ctypes.POINTER(ctypes.c_int)), type(_native.RowFunction)))
        return ctypes.c_void_p if is_pointer else type_

    def members(self, text):
        for member in text.split("; "):
            first, *others = member.split(", ")
            base, name = re.match(r"(.*?)(\*?\w+(?:\[\w+\])?)$", first).groups()
            for one in [name, *others]:
                array = re.match(r"(\w+)\[(\w+)\]$", one)
                if array:
                    size = int(array[2]) if array[2].isdigit() else 2048
                    yield array[1], ctypes.c_char * size
                else:
                    yield one.lstrip("*"), self.type_of((base + "*" * one.count("*")).strip())

    def test_structs_are_those_of_the_headers(self):
        structs = [thing for thing in vars(_native).values() if isinstance(thing, type) and issubclass(thing, ctypes.Structure)
                   and thing is not ctypes.Structure]
        self.assertGreater(len(structs), 12)
        for struct in structs:
            name = "takt" + re.sub("([A-Z])", r"_\1", struct.__name__).lower()
            with self.subTest(name=name):
                wanted = list(self.members(self.entries["struct " + name]))
                self.assertEqual([(field, self.plain(type_)) for field, type_ in struct._fields_], wanted)

    def test_functions_are_those_of_the_headers(self):
        functions = {name: thing for name, thing in vars(_native.lib).items() if name.startswith("takt_")}
        self.assertGreater(len(functions), 60)
        for name, function in functions.items():
            result, arguments = re.match(r"(.*?)\btakt_\w+\((.*)\)$", self.entries["function " + name].strip()).groups()
            wanted = [self.type_of(re.sub(r"\w+$", "", one).strip()) for one in arguments.split(", ") if one != "void"]
            with self.subTest(name=name):
                self.assertEqual([self.plain(one) for one in function.argtypes], wanted)
                self.assertEqual(self.plain(function.restype), self.type_of(result.strip()))


class BadInput(unittest.TestCase):
    def refused(self, message, function, *arguments, **more):
        with self.assertRaisesRegex(takt.UsageError, message):
            function(*arguments, **more)

    def test_what_is_none_of_ours_is_refused(self):
        with lotka_volterra().run() as run:
            for wrong in (None, 5, "x", b"x", run, run.view("Prey.x")):
                self.refused("is not a snapshot", run.restore, wrong)
            with self.assertRaisesRegex(TypeError, "3 is not the name of a variable"):
                run[3]
            with self.assertRaisesRegex(TypeError, "is not the name of a variable"):
                run.view("Prey.x", None)
            with self.assertRaises(ValueError):
                run.to("soon")
        self.refused("nothing to simulate", takt.simulate, None)
        self.refused("has no components", takt.System().run)

    def test_values_of_a_wrong_kind_are_named(self):
        system = takt.System().add("T", fmu("Types3_fmi3")).set_options(stop_time=1)
        with system.run() as run:
            for name, wrong, message in (("float64_in", "x", "T.float64_in: 'x' is not a number"), ("float64_in", None, "None is not a number"),
                                         ("float64_in", [1, 2], "not a number"), ("int8_in", 1.5, "1.5 is not a whole number"),
                                         ("int64_in", 2**70, "not a whole number"), ("int8_in", float("nan"), "not a whole number"),
                                         ("string_in", 5, "5 is neither a text nor bytes")):
                before = run["T." + name]
                self.refused(message, run.__setitem__, "T." + name, wrong)
                self.assertEqual(run["T." + name], before)

    def test_a_character_0_cuts_no_text(self):
        system = takt.System()
        self.refused("character 0", system.add, "A\0B", fmu("Gain"))
        self.refused("character 0", takt.System, fmu("Gain") + "\0.ssd")
        system.add("T", fmu("Types3_fmi3")).set_options(stop_time=1)
        self.refused("character 0", system.set, {"T.string_in": "a\0b"})
        self.refused("character 0", system.run, set={"T.string_in": "a\0b"})
        self.refused("character 0", system.set_options, algorithm="newton\0")

    def test_callbacks_cannot_change_their_run(self):
        calls = {"step": lambda run: run.step(), "to": lambda run: run.to(9), "finish": lambda run: run.finish(), "save": lambda run: run.save(),
                 "serialize": lambda run: run.serialize(), "set": lambda run: run.__setitem__("Prey.x", 1)}
        told, runs = {}, []

        def meddle(time, values):
            if time < 1 or len(told) == len(calls):
                return
            self.assertAlmostEqual(runs[0]["Prey.x"], values["Prey.x"], places=12)
            for name, call in calls.items():
                try:
                    call(runs[0])
                except takt.UsageError as error:
                    told[name] = str(error)

        with lotka_volterra(step_size=0.5).run(callback=meddle) as run:
            runs.append(run)
            run.finish()
            self.assertEqual(run.result.time[-1], 10)
        self.assertEqual(list(told), list(calls))
        self.assertIn("functions that a run calls", told["step"])

    def test_callbacks_may_close_their_run(self):
        runs, times = [], []

        def close(time, values):
            times.append(time)
            if time >= 1:
                runs[0].close()

        run = lotka_volterra(step_size=0.5).run(callback=close)
        runs.append(run)
        self.refused("the run is closed", run.finish)
        self.assertEqual(times[-1], 1)

    def test_a_run_that_another_thread_steps_is_left_alone(self):
        refused, runs = [], []

        def meet(time, values):
            def use():
                for call in (runs[0].step, runs[0].save, lambda: runs[0]["Prey.x"]):
                    try:
                        call()
                    except takt.UsageError as error:
                        refused.append(str(error))

            if time == 1:
                other = threading.Thread(target=use)
                other.start()
                other.join()

        with lotka_volterra(step_size=0.5).run(callback=meet) as run:
            runs.append(run)
            run["Prey.x"]
            run.finish()
        self.assertEqual(refused, ["another thread is using the run"] * 3)

    # Everything in any order with any arguments: exceptions, never a crash.
    def test_random_calls_are_exceptions_at_most(self):
        words = ["Prey", "Predator", "Prey.x", "Predator.x", "Prey.a", "Prey.y", "Prey.q", "", ".", "a.b", "newton", "stop_time", "\0", "\ud800", "x" * 3000]
        allowed = (takt.TaktError, TypeError, ValueError, KeyError, IndexError, AttributeError, ImportError)
        for seed in range(6):
            draw = random.Random(seed)
            with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                things = [lotka_volterra(stop_time=2), takt.System(), takt.System(fmu("Gain"))]

                def argument():
                    kind = draw.randrange(6)
                    if kind == 0:
                        return draw.choice([None, 0, -1, 1.5, float("nan"), float("inf"), 2**70, True, b"x", [], [1, 2], {}, {"Prey.a": 0.2}])
                    if kind == 1:
                        return draw.choice(things)
                    return draw.choice([fmu("Gain"), os.path.join(folder, "out.ssd"), *words])

                for _ in range(150):
                    thing = draw.choice(things)
                    names = [name for name in dir(thing) if not name.startswith("_")] + ["__getitem__", "__setitem__", "__iter__", "__len__"]
                    if draw.random() < 0.3:
                        thing = draw.choice([one for one in things if isinstance(one, takt.System)])
                        names = ["run"]
                    try:
                        found = getattr(thing, draw.choice(names))
                        if callable(found):
                            found = found(*[argument() for _ in range(draw.choice([0, 0, 1, 1, 1, 2, 3]))])
                        if isinstance(found, (takt.Run, takt.View, takt.Snapshot, takt.Result, takt.System)):
                            things.append(found)
                        elif isinstance(found, bytes) and found and draw.random() < 0.5:
                            things.append(draw.choice([one for one in things if isinstance(one, takt.System)]).run(resume=found))
                    except allowed:
                        pass


class Files(unittest.TestCase):
    def test_examples_run(self):
        for name in sorted(os.listdir(EXAMPLES)):
            if not name.endswith(".py"):
                continue
            done = subprocess.run([sys.executable, os.path.join(EXAMPLES, name), FMUS], capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 77), done.stderr)  # 77: a package is missing


if __name__ == "__main__":
    unittest.main()
