// SPDX-License-Identifier: MIT
// The state of the page, and what can be done. What the server has is only mirrored here.
import { download, get, listen, post } from './api.js';
import { behind, freshName, makeIndex, matchTerminals } from './model.js';

class State {
  project = $state.raw({ file: null });
  index = $derived(makeIndex(this.project));
  settings = $state.raw([]);
  folder = $state.raw({ fmus: [], tables: [], projects: [] });
  runs = $state.raw([]);
  live = $state.raw(new Map()); // "Tank.level" -> its latest value in the run that the diagram shows
  panel = $state(null); // 'left' or 'right': opened over the centre where there is no room for it
  tab = $state('system');
  selection = $state.raw(new Set()); // names of components
  level = $state(''); // the subsystem that is shown
  focusPort = $state(null); // "Tank.level": flashed
  dialog = $state(null); // 'settings', 'keys', 'search', 'save', 'rename', 'connect'
  dock = $state('problems');
  toasts = $state([]);
  lost = $state(null); // why there is no server; 'ended' or 'token'
  theme = $state(localStorage.getItem('takt-theme') ?? 'system');
  letters = $state(localStorage.getItem('takt-letters') !== 'off');
  pace = $state(false);
  ready = $state(false);
  errors = $derived((this.project.problems ?? []).filter((p) => p.severity === 'error').length);
  warnings = $derived((this.project.problems ?? []).filter((p) => p.severity === 'warn').length);
  run = $derived(this.runs.filter((r) => r.state !== 'loaded').at(-1) ?? null); // the latest
  isGoing = $derived(!!this.run && ['starting', 'running', 'paused'].includes(this.run.state));
}

export const s = new State();

let toastNumber = 0;

export function toast(text, action, isError = false) {
  const one = { id: ++toastNumber, text, action, isError };
  s.toasts = [...s.toasts.slice(-3), one];
  if (!isError) setTimeout(() => dismiss(one.id), 6000);
}

export const dismiss = (id) => (s.toasts = s.toasts.filter((t) => t.id !== id));

/** Does it, and tells the reason where it cannot be done. */
export async function attempt(what) {
  try {
    return await what();
  } catch (failure) {
    toast(failure.message, null, true);
    return null;
  }
}

// An answer that comes late must not lead back from the list of projects.
function show(project) {
  const now = s.project.revision ?? 0;
  if (project && (project.revision > now || (project.revision === now && s.project.file))) s.project = project;
  return project;
}

// ---- edits ----------------------------------------------------------------------------------------------

export const edit = (label, ...ops) => attempt(async () => show(await post('edit', { label, ops })));
export const undo = () => attempt(async () => show(await post('undo', {})));
export const redo = () => attempt(async () => show(await post('redo', {})));

/** Adds it to the system that is shown. */
export async function addComponent(source, box) {
  const name = freshName(s.index, source, s.level);
  const ops = [{ op: 'add', name, value: source }];
  if (box) ops.push({ op: 'move', name, box });
  if (await edit(`Add ${name}`, ...ops)) s.selection = new Set([name]);
  return name;
}

export async function remove() {
  const names = [...s.selection].filter((n) => s.index.components.has(n));
  if (!names.length) return;
  const before = s.project.connections.length;
  const project = await edit(`Delete ${names.join(', ')}`, ...names.map((name) => ({ op: 'remove', name })));
  if (!project) return;
  s.selection = new Set();
  const gone = before - project.connections.length;
  toast(`Deleted ${names.length > 1 ? names.length + ' components' : names[0]}${gone ? ` and ${gone} connection${gone > 1 ? 's' : ''}` : ''}`, { word: 'Undo', act: undo });
}

/** Two variables, or two terminals as a whole. */
export function connect(from, to) {
  const pairs = s.index.terminals.has(from) ? matchTerminals(s.index, from, to).pairs : [[from, to]];
  return edit(`Connect ${from} and ${to}`, ...pairs.map(([a, b]) => ({ op: 'connect', name: a, to: b })));
}

export async function replaceConnection(from, to) {
  const old = s.index.into.get(behind(s.index, to));
  const ops = old ? [{ op: 'disconnect', name: old.written[0], to: old.written[1] }] : [];
  return edit(`Connect ${from} and ${to}`, ...ops, { op: 'connect', name: from, to });
}

export async function disconnect(...connections) {
  const [first] = connections;
  if (await edit(connections.length > 1 ? `Delete ${connections.length} connections` : 'Delete connection', ...connections.map((c) => ({ op: 'disconnect', name: c.written[0], to: c.written[1] }))))
    toast(connections.length > 1 ? `Deleted ${connections.length} connections` : `Deleted the connection to ${first.to.component}.${first.to.variable}`, { word: 'Undo', act: undo });
}

/** Shows what it would connect, before it does anything. */
export const autoConnect = () => (s.dialog = 'connect');

// ---- files ----------------------------------------------------------------------------------------------

export async function openProject(file, isNew = false) {
  const project = await attempt(() => post('open', { file, new: isNew }));
  if (!project) return null;
  s.level = '';
  s.selection = new Set();
  s.tab = 'system';
  s.dialog = null;
  s.project = project;
  return project;
}

export async function save(file) {
  const isOurs = /\.(ssd|ssp)$/.test(s.project.file ?? '');
  if (!file && !isOurs) {
    s.dialog = 'save';
    return;
  }
  if (show(await attempt(() => post('save', file ? { file } : {})))) {
    s.dialog = null;
    toast('Saved', null);
    loadFolder();
  }
}

export async function upload(files) {
  const { call } = await import('./api.js');
  for (const file of files)
    await attempt(async () => {
      await call('upload?name=' + encodeURIComponent(file.name), undefined, file);
      await loadFolder();
      if (/\.fmu$/i.test(file.name) && s.project.file) await addComponent(file.name);
      if (/\.(ssp|ssd|msim)$/i.test(file.name)) await openProject(file.name);
    });
}

export const loadFolder = async () => (s.folder = (await attempt(() => get('folder'))) ?? s.folder);

// ---- runs -----------------------------------------------------------------------------------------------

export async function startRun(isPaused = false) {
  const run = await attempt(() => post('run', { do: 'start', paused: isPaused, pace: s.pace ? 1 : 0 }));
  if (run) s.tab = 'run';
  await loadRuns();
}

export async function command(word, more = {}) {
  if (s.run) await attempt(() => post(`run?run=${s.run.id}`, { do: word, ...more }));
  await loadRuns();
}

/** The one primary button. */
export function runOrPause() {
  if (!s.project.file || !s.project.components?.length) return;
  if (!s.isGoing) {
    if (!s.errors) startRun();
    return;
  }
  command(s.run.state === 'paused' ? 'go' : s.run.state === 'starting' ? 'stop' : 'pause');
}

export async function checkNow() {
  const project = await attempt(() => get('project'));
  if (project) s.project = project;
  s.tab = 'system';
  s.dock = 'problems';
}

export async function writeReport() {
  if (!s.run) return;
  const name = `${s.run.name}.html`;
  await attempt(async () => {
    await download(`report?run=${s.run.id}`, name);
    toast(`Report written: ${name}`);
  });
}

/** The projects of the folder. */
export const showStart = () => (s.project = { file: null, revision: s.project.revision });

export const stepOnce = () => (s.isGoing ? command('step') : startRun(true));

export async function setPace(isRealTime) {
  s.pace = isRealTime;
  if (s.isGoing) await command('pace', { factor: isRealTime ? 1 : 0 });
}

// Values of the latest run for the diagram, of what it records.
let columnsOf = { run: null, names: [] };
export async function loadLive() {
  const run = s.run;
  if (!run?.rows || s.tab !== 'system') return;
  if (columnsOf.run !== run.id) columnsOf = { run: run.id, names: (await get(`columns?run=${run.id}`)).map((c) => c.name) };
  const { values } = await get(`values?run=${run.id}`);
  s.live = new Map(columnsOf.names.map((name, i) => [name, values[i]]));
}

export const loadRuns = async () => (s.runs = (await get('runs').catch(() => null)) ?? s.runs);

export async function loadResults(file) {
  if (await attempt(() => post('load', { file }))) {
    await loadRuns();
    s.tab = 'results';
  }
}

// ---- places ---------------------------------------------------------------------------------------------

/** Shows a component or variable in the diagram, and flashes it. */
export function goTo(name) {
  const component = [...s.index.components.keys()].filter((c) => name === c || name.startsWith(c + '.')).sort((a, b) => b.length - a.length)[0];
  if (!component) return;
  s.tab = 'system';
  s.level = component.split('.').slice(0, -1).join('.');
  s.selection = new Set([component]);
  s.focusPort = null;
  setTimeout(() => (s.focusPort = name), 50);
}

let problemAt = -1;

export function goToProblem(step) {
  const problems = s.project.problems ?? [];
  if (!problems.length) return;
  problemAt = (problemAt + step + problems.length) % problems.length;
  s.dock = 'problems';
  const where = placeOf(problems[problemAt]);
  if (where) goTo(where);
  return problemAt;
}

/** The variable or component that a problem is about: the longest one that its text names. */
export function placeOf(problem) {
  const words = problem.text.match(/[\p{L}_][\p{L}\p{N}_.[\]]*/gu) ?? [];
  for (const word of words) {
    const name = word.replace(/\.$/, '');
    for (const c of s.index.components.values())
      if (name.startsWith(c.name + '.') && c.variables.has(name.slice(c.name.length + 1))) return name;
  }
  return problem.component ?? words.find((w) => s.index.components.has(w)) ?? null;
}

// ---- beginning ------------------------------------------------------------------------------------------

let isLooking = false;
let looksAgain = false;

// Runs tell that they have changed many times a second; one question at a time is enough.
async function lookAtRuns() {
  looksAgain = true;
  if (isLooking) return;
  isLooking = true;
  while (looksAgain) {
    looksAgain = false;
    await loadRuns();
    await loadLive().catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  isLooking = false;
}

async function loadAll() {
  [s.settings, s.project] = await Promise.all([get('settings'), get('project')]);
  await Promise.all([loadFolder(), loadRuns()]);
  s.ready = true;
}

// Another program may have changed the file while nobody looked.
async function lookAtFile() {
  const project = s.project.file && !s.lost && (await get('project').catch(() => null));
  if (project?.revision === s.project.revision && project.outdated !== s.project.outdated) s.project = project;
}

export function begin() {
  addEventListener('focus', lookAtFile);
  listen({
    open() {
      s.lost = null;
      loadAll().catch(() => {});
    },
    lost(failure) {
      s.lost = failure.status === 401 ? 'token' : 'ended';
      s.ready = true;
    },
    async event(name, data) {
      if (name === 'run') lookAtRuns();
      if (name === 'folder') loadFolder();
      if (name === 'project' && data.revision > (s.project.revision ?? 0)) show(await get('project').catch(() => null));
    },
  });
}
