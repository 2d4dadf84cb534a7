// SPDX-License-Identifier: MIT
// The keyboard. Single letters act only where no field has the focus, and can be switched off.
import { tick } from 'svelte';
import { autoConnect, command, goToProblem, redo, remove, runOrPause, s, save, showStart, stepOnce, undo } from './state.svelte.js';

/** What the diagram does for keys; it puts its functions here. */
export const diagram = {};

export const keyTexts = [
  ['Ctrl K', 'search and commands'], ['?', 'all keys'], ['Alt 1, 2, 3', 'System, Run, Results'], ['F6', 'next region'],
  ['R, F5', 'run or pause'], ['., Shift F5', 'one step, stop'], ['Ctrl Z, Ctrl Shift Z', 'undo, redo'], ['Ctrl S', 'save'],
  ['C', 'connect the port that has the focus'], ['Shift C', 'auto-connect'], ['L, F', 'auto-layout, fit'], ['arrows (Shift)', 'move a component by 8 (1) px'],
  ['F2, Del', 'rename, delete'], ['Enter, Alt ↑', 'step into a system, out of it'], ['F8, Shift F8', 'next, previous problem'], ['+ − 0', 'in a plot: zoom, whole range'], ['Page ↑, Page ↓', 'in a plot: zoom of values'], ['← →, Enter', 'in a plot: cursor by a row, pin it'],
];

const named = {
  'ctrl+k': () => (s.dialog = 'search'),
  'ctrl+s': () => save(),
  'ctrl+o': showStart,
  'ctrl+z': undo,
  'ctrl+shift+z': redo,
  'ctrl+y': redo,
  'alt+1': () => (s.tab = 'system'),
  'alt+2': () => (s.tab = 'run'),
  'alt+3': () => (s.tab = 'results'),
  'alt+arrowup': () => (s.level = s.level.split('.').slice(0, -1).join('.')),
  f5: runOrPause,
  'shift+f5': () => command('stop'),
  f6: () => nextRegion(1),
  'shift+f6': () => nextRegion(-1),
  f8: () => goToProblem(1),
  'shift+f8': () => goToProblem(-1),
};

const letters = {
  r: runOrPause,
  '.': stepOnce,
  c: () => diagram.connect?.(),
  'shift+c': autoConnect,
  l: () => diagram.layout?.(),
  f: () => diagram.fit?.(),
  f2: () => diagram.rename?.(),
  delete: () => (diagram.deleteConnection?.() || remove()),
  '?': () => (s.dialog = 'keys'),
  'shift+?': () => (s.dialog = 'keys'),
};

function nextRegion(step) {
  const regions = [...document.querySelectorAll('[data-region]')];
  const at = regions.findIndex((r) => r.contains(document.activeElement));
  const next = regions[(at + step + regions.length) % regions.length];
  // Where it has no room, it opens over the centre.
  s.panel = !next || next.offsetParent ? s.panel : next.matches('.left') ? 'left' : 'right';
  tick().then(() => focusIn(next));
}

function focusIn(next) {
  (next?.querySelector('input, button, [tabindex="0"]') ?? next)?.focus();
}

export function handleKey(event) {
  const target = event.target;
  const isField = target.matches?.('input:not([type=checkbox]), select, textarea, [contenteditable]');
  const word = (event.ctrlKey || event.metaKey ? 'ctrl+' : '') + (event.altKey ? 'alt+' : '') + (event.shiftKey ? 'shift+' : '') + event.key.toLowerCase();
  if (s.dialog) {
    if (event.key === 'F5') event.preventDefault(); // it must not load the page anew
    return;
  }
  const isLetter = !(word in named);
  if (isLetter && (isField || !s.letters)) return;
  const act = named[word] ?? letters[word];
  if (!act || !s.project.file) return;
  event.preventDefault();
  act();
}
