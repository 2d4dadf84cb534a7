// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boxOf, freshName, layout, makeElements, makeIndex, makePlaces, matchTerminals, refusal, scaleOf } from '../../src/model.js';
import { join, makePanels, valueAt } from '../../src/plots.js';
import { number, seconds } from '../../src/format.js';

const variable = (name, causality, type = 'Float64') => ({ name, causality, type });
const model = { variables: [variable('u', 'input'), variable('y', 'output'), variable('k', 'parameter'), variable('s', 'input', 'String')] };
const project = {
  components: ['A', 'B', 'Heating.C', 'Heating.D'].map((name) => ({ name, source: 'x.fmu' })), models: { 'x.fmu': model },
  connections: [['B', 'u', 'A', 'y'], ['B', 'y', 'Heating.C', 'u'], ['Heating.C', 'y', 'Heating.D', 'u']],
  values: [], blocks: [{ members: ['A'] }, { members: ['B', 'Heating.C'], loop: true }], problems: [], feedthrough: [],
};

test('connections lead from outputs to inputs, whichever end was written first', () => {
  const index = makeIndex(project);
  assert.deepEqual(index.connections[0].from, { component: 'A', variable: 'y' });
  assert.equal(index.into.get('B.u').from.component, 'A');
  assert.deepEqual(index.connections[0].written, ['B.u', 'A.y']);
});

test('badges tell the calling order, and loops', () => {
  const index = makeIndex(project);
  assert.deepEqual(['A', 'B', 'Heating.C'].map((n) => index.components.get(n).badge), ['1', '2a', '2b']);
  assert.equal(index.connections[1].loop, 1);
});

test('a subsystem is one element whose ports are what crosses its wall', () => {
  const { elements, connections } = makeElements(makeIndex(project), '');
  assert.deepEqual([...elements.keys()], ['A', 'B', 'Heating']);
  assert.deepEqual(elements.get('Heating').inputs.map((p) => p.name), ['C.u']);
  assert.equal(connections.length, 2);
  assert.deepEqual([...makeElements(makeIndex(project), 'Heating').elements.keys()], ['Heating.C', 'Heating.D']);
});

test('many ports are folded, the connected ones stay', () => {
  const variables = [...Array(40).keys()].map((i) => variable(`y${i}`, 'output'));
  const big = { ...project, models: { 'x.fmu': { variables: [...variables, variable('u', 'input'), variable('y', 'output')] } } };
  const e = makeElements(makeIndex(big), '').elements.get('A');
  assert.equal(e.hidden, 41);
  assert.deepEqual(e.shownOutputs.map((p) => p.name), ['y']);
  const open = (words) => makeElements(makeIndex(big), '', new Map([['A', words]])).elements.get('A');
  assert.equal(open('').hidden, 0);
  assert.deepEqual(open('Y1').shownOutputs.map((p) => p.name), ['y1', ...[...Array(10).keys()].map((i) => `y1${i}`), 'y']);
  assert.equal(open('Y1').hidden, 30);
});

test('hundreds of ports are never shown all at once', () => {
  const variables = [...Array(500).keys()].map((i) => variable(`y${i}`, 'output'));
  const huge = { ...project, connections: [], models: { 'x.fmu': { variables } } };
  const e = makeElements(makeIndex(huge), '', new Map([['A', '']])).elements.get('A');
  assert.ok(e.shownOutputs.length <= 60 && e.hidden >= 440, e.shownOutputs.length);
});

test('connectors of a subsystem are its ports, and stand at the sides inside of it', () => {
  const walls = [['Heating.in', 7, 'Heating.C', 'u'], ['Heating.free', 7, 'Heating.D', 'k'], ['Heating.out', 7, 'Heating.D', 'y']];
  const index = makeIndex({ ...project, walls });
  const { elements, connections } = makeElements(index, '');
  const heating = elements.get('Heating');
  assert.deepEqual(heating.inputs.map((p) => [p.name, p.isConnected]), [['in', true], ['free', false]]);
  assert.deepEqual(heating.outputs.map((p) => p.key), ['Heating.out']);
  assert.equal(connections.find((c) => c.target === 'Heating').toPort, 'in');
  assert.equal(refusal(index, 'A.y', 'Heating.free'), null);
  assert.match(refusal(index, 'A.y', 'Heating.in'), /B\.y already drives it/);
  const inside = makeElements(index, 'Heating');
  assert.deepEqual([...inside.elements.keys()].sort(), ['Heating.C', 'Heating.D', '|Heating.free', '|Heating.in', '|Heating.out']);
  assert.ok(inside.connections.some((c) => c.source === '|Heating.in' && c.target === 'Heating.C'));
  assert.equal(inside.elements.get('|Heating.in').outputs[0].key, 'B.y'); // what is drawn from here begins there
  const places = makePlaces(inside.elements, inside.connections, 1);
  assert.ok(places.get('|Heating.in').x < places.get('Heating.C').x && places.get('|Heating.out').x > places.get('Heating.D').x);
});

const terminal = (more, members = [['u', 'effort'], ['y', 'flow']]) => ({ name: 'pin', kind: 'electric', rule: 'plug', members, ...more });
const twoOf = (a, b, connections = []) => makeIndex({
  components: [{ name: 'A', source: 'a' }, { name: 'B', source: 'b' }], connections, values: [], problems: [],
  models: { a: { variables: [variable('u', 'input'), variable('y', 'output')], terminals: [a] }, b: { variables: [variable('u', 'input'), variable('y', 'output')], terminals: [b] } },
});
const mirrored = [['u', 'flow'], ['y', 'effort']];

test('terminals are one row until they are unfolded, and connected as a whole', () => {
  const index = twoOf(terminal({}), terminal({}, mirrored), [['A', 'y', 'B', 'u'], ['B', 'y', 'A', 'u']]);
  const { elements } = makeElements(index, '');
  const a = elements.get('A');
  assert.deepEqual([a.shownInputs.map((p) => p.key), a.shownOutputs.map((p) => p.key)], [['A:pin'], ['A:pin']]);
  assert.equal(a.handles.get('out.y'), ':pin');
  const open = makeElements(index, '', new Map([['A:pin', '']])).elements.get('A');
  assert.deepEqual(open.shownInputs.map((p) => [p.name, p.row]), [[':pin', 0], ['u', 1]]);
  assert.equal(open.handles.get('out.y'), 'y');
  assert.ok(open.height > a.height);
});

test('terminals fit where kind, rule, members and directions do; else they say why not', () => {
  const tell = (a, b, connections) => matchTerminals(twoOf(a, b, connections), 'A:pin', 'B:pin');
  assert.deepEqual(tell(terminal({}), terminal({}, mirrored)), { pairs: [['B.y', 'A.u'], ['A.y', 'B.u']], reason: null });
  assert.match(tell(terminal({}), terminal({})).reason, /'effort' is an input of both/);
  assert.match(tell(terminal({}), terminal({ kind: 'fluid' }, mirrored)).reason, /different kinds/);
  assert.match(tell(terminal({}), terminal({ rule: 'bus' }, mirrored)).reason, /matched in different ways/);
  assert.match(tell(terminal({}), terminal({}, [['u', 'flow']])).reason, /has no member 'effort'/);
  assert.match(tell(terminal({}), terminal({}, mirrored), [['A', 'y', 'B', 'u']]).reason, /already drives it/);
  assert.deepEqual(tell(terminal({ rule: 'bus' }), terminal({ rule: 'bus' }, [['u', 'flow']])).pairs, [['A.y', 'B.u']]);
  assert.deepEqual(tell(terminal({ rule: 'sequence' }), terminal({ rule: 'sequence' }, [['y', 'p'], ['u', 'q']])).pairs, [['B.y', 'A.u'], ['A.y', 'B.u']]);
  const index = twoOf(terminal({}), terminal({}, mirrored));
  assert.match(refusal(index, 'A:pin', 'B.u'), /connected with a terminal/);
  assert.match(refusal(index, 'A:pin', 'A:pin'), /same component/);
});

test('what cannot be connected says why', () => {
  const index = makeIndex(project);
  assert.equal(refusal(index, 'A.y', 'B.k'), null);
  assert.equal(refusal(index, 'Heating.C.y', 'Heating.D.k'), null);
  assert.equal(refusal(index, 'A.y', 'Heating.D.k'), null); // through the wall
  assert.match(refusal(index, 'A.y', 'A.s'), /different types/);
  assert.match(refusal(index, 'A.y', 'B.y'), /ends at an input/);
  assert.match(refusal(index, 'A.u', 'B.u'), /begins at an output/);
  assert.match(refusal(index, 'A.y', 'B.u'), /A\.y already drives it/);
});

test('places of the file come back as they were, in any unit', () => {
  const index = makeIndex({ ...project, components: project.components.map((c, i) => ({ ...c, box: [i * 40, 0, i * 40 + 20, 20] })) });
  const { elements, connections } = makeElements(index, '');
  const scale = scaleOf(elements);
  const places = makePlaces(elements, connections, scale);
  const box = boxOf(elements.get('B'), places.get('B'), scale);
  assert.equal(box[0], 40);
  assert.equal(box[3], 20);
});

test('the layout goes from left to right without overlap', () => {
  const { elements, connections } = makeElements(makeIndex(project), '');
  const found = layout([...elements.values()], connections);
  assert.ok(found.get('A').x + elements.get('A').width <= found.get('B').x);
  assert.ok(found.get('B').x + elements.get('B').width <= found.get('Heating').x);
});

test('new components get a name that is free', () => {
  const index = makeIndex(project);
  assert.equal(freshName(index, 'folder/A.fmu'), 'A2');
  assert.equal(freshName(index, 'builtin:sum?inputs=2'), 'sum');
  assert.equal(freshName(index, 'folder/C.fmu', 'Heating'), 'Heating.C2');
});

test('a jump stays a jump when runs are drawn together', () => {
  const joined = join([{ t: [0, 1, 1, 2], y: [[0, 1, 5, 6]] }, { t: [0, 1.5], y: [[7, 8]] }]);
  assert.deepEqual(joined, [[0, 0, 1, 1, 1.5, 2], [0, null, 1, 5, null, 6], [null, 7, null, null, 8, null]]);
  assert.equal(valueAt({ t: [0, 1, 1, 2], y: [[0, 1, 5, 6]] }, 0, 0.5, false), 0.5);
  assert.equal(valueAt({ t: [0, 1, 1, 2], y: [[0, 1, 5, 6]] }, 0, 1, false), 5);
  assert.equal(valueAt({ t: [0, 1], y: [[0, 1]] }, 0, 3, false), null);
});

test('one unit per panel, Booleans in strips at the end', () => {
  const columns = new Map([['a', { type: 'Float64', unit: 'K' }], ['b', { type: 'Boolean' }], ['c', { type: 'Float64', unit: 'W' }], ['d', { type: 'Float64', unit: 'K' }]]);
  assert.deepEqual(makePanels(['b', 'a', 'c', 'd'], columns).map((p) => p.signals.map((g) => g.name)), [['a', 'd'], ['c'], ['b']]);
});

test('numbers are written as people read them', () => {
  assert.equal(number(8420), '8\u202f420');
  assert.equal(number(-2.24), '\u22122.24');
  assert.equal(number(1e-9), '1e\u22129');
  assert.equal(number(0.1 + 0.2), '0.3');
  assert.equal(seconds(172800), '2\u00a0d');
  assert.equal(seconds(0.1), '100\u00a0ms');
});
