// SPDX-License-Identifier: MIT
// What the diagram shows, made from the project: pure functions, no page.
import dagre from '@dagrejs/dagre';

export const sizes = { head: 44, port: 22, foot: 24, find: 30, pad: 6, many: 12 };
const REALS = ['Float64', 'Float32'];

/** The shape of a port: that of its type. */
export function shapeOf(type) {
  if (REALS.includes(type)) return 'real';
  if (type === 'Terminal') return 'terminal';
  if (type === 'Boolean' || type === 'String' || type === 'Binary' || type === 'Clock' || type === 'Enumeration') return type.toLowerCase();
  return 'integer';
}

export const isInput = (v) => v.causality === 'input';
export const isOutput = (v) => v.causality === 'output';
export const isParameter = (v) => v.causality === 'parameter' || v.causality === 'structuralParameter';
const plain = (name) => name.replace(/\[[^\]]*\]$/, '');
/** A variable of a component, also an element of an array. */
const find = (component, name) => component?.variables.get(name) ?? component?.variables.get(plain(name));

/** Everything that is asked often: components by name, variables by name, connections by direction, loops, order. */
export function makeIndex(project) {
  const components = new Map();
  for (const c of project?.components ?? []) {
    const model = project.models?.[c.source] ?? {};
    const variables = new Map((model.variables ?? []).map((v) => [v.name, v]));
    components.set(c.name, { ...c, model, variables, badge: '', loop: 0, problems: [] });
  }
  const index = { components, connections: [], into: new Map(), from: new Map(), values: new Map(), feedthrough: new Map(), walls: new Map(), terminals: new Map() };
  for (const w of project?.walls ?? []) addWall(index, w);
  for (const c of components.values()) for (const t of c.model.terminals ?? []) addTerminal(index, c, t);
  for (const [c1, v1, c2, v2] of project?.connections ?? []) addConnection(index, c1, v1, c2, v2);
  for (const c of project?.conversions ?? []) {
    const one = index.connections.find((o) => o.from.component === c[0] && o.from.variable === c[1] && o.to.component === c[2] && o.to.variable === c[3]);
    if (one) one.conversion = true;
  }
  for (const v of project?.values ?? []) index.values.set(v.component ? `${v.component}.${v.variable}` : v.variable, v);
  addOrder(index, project?.blocks ?? []);
  for (const f of project?.feedthrough ?? []) index.feedthrough.set(`${f.component}.${f.output}`, f);
  for (const p of project?.problems ?? []) components.get(p.component)?.problems.push(p);
  return index;
}

// A connector of a subsystem, "Heating.T_in", and the variables that it stands for.
function addWall(index, [name, length, component, variable]) {
  const wall = index.walls.get(name) ?? { key: name, system: name.slice(0, length), name: name.slice(length + 1), ends: [] };
  if (!find(index.components.get(component), variable)) return;
  wall.ends.push({ component, variable });
  index.walls.set(name, wall);
}

/** What a connector of a subsystem stands for; other names stay. */
export function behind(index, key) {
  const end = index.walls.get(key)?.ends[0];
  return end ? `${end.component}.${end.variable}` : key;
}

// Members that are ports; a port belongs to the first terminal that has it.
function addTerminal(index, c, t) {
  const members = t.members.filter(([name]) => isPort(c.variables.get(name))).map(([variable, name]) => ({ variable, name: name ?? variable }));
  c.terminalOf ??= new Map();
  const key = `${c.name}:${t.name}`;
  if (!members.length || index.terminals.has(key)) return;
  const terminal = { ...t, key, component: c.name, members };
  index.terminals.set(key, terminal);
  for (const m of members) if (!c.terminalOf.has(m.variable)) c.terminalOf.set(m.variable, terminal);
}

const isPort = (v) => v && (isInput(v) || isOutput(v));

function addConnection(index, c1, v1, c2, v2) {
  const a = { component: c1, variable: v1 };
  const b = { component: c2, variable: v2 };
  const first = find(index.components.get(c1), v1);
  const last = find(index.components.get(c2), v2);
  const isTurned = (first && isInput(first)) || (last && isOutput(last) && !(first && isOutput(first)));
  const [from, to] = isTurned ? [b, a] : [a, b];
  const one = { id: `${from.component}.${from.variable}>${to.component}.${to.variable}`, from, to, loop: 0, written: [`${c1}.${v1}`, `${c2}.${v2}`] };
  index.connections.push(one);
  index.into.set(`${to.component}.${to.variable}`, one);
  const key = `${from.component}.${from.variable}`;
  index.from.set(key, [...(index.from.get(key) ?? []), one]);
}

function addOrder(index, blocks) {
  let loop = 0;
  blocks.forEach((block, i) => {
    if (block.loop) loop++;
    block.members.forEach((name, k) => {
      const c = index.components.get(name);
      if (!c) return;
      c.badge = block.loop ? `${i + 1}${letters(k)}` : `${i + 1}`;
      c.loop = block.loop ? loop : 0;
      c.order = i * 1e4 + k;
    });
  });
  for (const c of index.connections) {
    const [a, b] = [index.components.get(c.from.component), index.components.get(c.to.component)];
    if (a?.loop && a.loop === b?.loop) c.loop = a.loop;
  }
}

const letters = (k) => (k < 26 ? '' : String.fromCharCode(96 + Math.floor(k / 26))) + String.fromCharCode(97 + (k % 26));

// ---- levels ---------------------------------------------------------------------------------------------

/** The element of a level in which a component lies: itself, or a subsystem; null: it is elsewhere. */
function elementOf(name, level) {
  const prefix = level ? level + '.' : '';
  if (!name.startsWith(prefix)) return null;
  const rest = name.slice(prefix.length);
  const dot = rest.indexOf('.');
  return dot < 0 ? name : prefix + rest.slice(0, dot);
}

/** The elements of a level with their ports: components, subsystems with the connectors in their walls, and the connectors in the wall around the level. `open`:
 * what is looked for in elements that show all their ports, and which terminals are unfolded. */
export function makeElements(index, level, open = new Map()) {
  const elements = new Map();
  for (const c of index.components.values()) {
    const id = elementOf(c.name, level);
    if (!id) continue;
    if (id === c.name) elements.set(id, componentElement(index, c));
    else {
      const system = elements.get(id) ?? { id, name: id, kind: 'system', inputs: [], outputs: [], members: 0, loop: 0, badge: '', problems: [], box: null };
      system.members++;
      if (c.loop) system.loop = c.loop;
      system.problems.push(...c.problems);
      elements.set(id, system);
    }
  }
  for (const w of index.walls.values()) addWallPorts(index, elements, level, w);
  const connections = [];
  const seen = new Set();
  for (const c of index.connections) {
    if (elementOf(c.from.component, level) === elementOf(c.to.component, level)) continue;
    const a = endOf(index, elements, level, c.from, c.to, 'outputs');
    const b = endOf(index, elements, level, c.to, c.from, 'inputs');
    if (!a || !b) continue;
    const id = `${a.id}.${a.port}>${b.id}.${b.port}`;
    if (seen.has(id)) continue; // a connector leads to several variables
    seen.add(id);
    connections.push({ ...c, id, source: a.id, target: b.id, fromPort: a.port, toPort: b.port });
  }
  for (const e of elements.values()) choosePorts(e, open);
  return { elements, connections };
}

// A connector is a port of its system from outside, and an element of its own from inside.
function addWallPorts(index, elements, level, wall) {
  const end = wall.ends[0];
  const variable = find(index.components.get(end.component), end.variable);
  const driver = index.into.get(`${end.component}.${end.variable}`);
  const outside = driver && elementOf(driver.from.component, wall.system) === null ? driver : null;
  const system = elements.get(wall.system);
  if (system) {
    if (isOutput(variable)) system.outputs.push({ name: wall.name, key: wall.key, variable, isConnected: false });
    else system.inputs.push({ name: wall.name, key: wall.key, variable, isConnected: false });
  }
  if (!level || wall.system !== level) return;
  // From inside, what drives it can be connected to more.
  const port = { name: wall.name, key: outside ? `${outside.from.component}.${outside.from.variable}` : wall.key, variable, isConnected: false };
  const isOut = isOutput(variable);
  elements.set(`|${wall.key}`, { id: `|${wall.key}`, name: wall.name, kind: 'wall', isOut, inputs: isOut ? [port] : [], outputs: isOut ? [] : [port], problems: [], loop: 0, badge: '', box: null });
}

// Where a connection begins or ends on a level: an element and its port; null: not there. From inside, an end that is elsewhere is seen as the connector
// that leads to the other one.
function endOf(index, elements, level, end, other, side) {
  const id = elementOf(end.component, level);
  if (id) return { id, port: portOf(index, elements.get(id), end, side) };
  const wall = level && wallTo(index, level, other);
  if (!wall) return null;
  const element = elements.get(`|${wall.key}`);
  element[side][0].isConnected = true;
  return { id: element.id, port: wall.name };
}

const wallTo = (index, system, end) => [...index.walls.values()].find((w) => w.system === system && w.ends.some((e) => e.component === end.component && e.variable === end.variable));

function componentElement(index, c) {
  const inputs = [];
  const outputs = [];
  const isTable = c.model.kind === 'table';
  for (const v of c.variables.values()) {
    const key = `${c.name}.${v.name}`;
    const terminal = c.terminalOf?.get(v.name);
    if (isInput(v)) {
      const isDriven = index.into.has(key);
      inputs.push({ name: v.name, key, variable: v, terminal, isConnected: isDriven, needsValue: !isDriven && !index.values.has(key) });
    } else if (isOutput(v)) outputs.push({ name: v.name, key, variable: v, terminal, isConnected: index.from.has(key) });
  }
  const kind = c.source?.startsWith('builtin:') ? 'function' : isTable ? 'table' : 'fmu';
  return { ...c, id: c.name, kind, inputs, outputs, isMissing: !c.source || !!c.model.error };
}

// Elements of arrays, parameters and what crosses walls without a connector that is known get ports as they are connected.
function portOf(index, element, end, side) {
  const wall = element.kind === 'system' && wallTo(index, element.id, end);
  const name = wall ? wall.name : element.kind === 'system' ? `${end.component}.${end.variable}`.slice(element.id.length + 1) : end.variable;
  let port = element[side].find((p) => p.name === name);
  if (!port) {
    const variable = find(index.components.get(end.component), end.variable) ?? { name, type: 'Float64' };
    port = { name, key: `${end.component}.${end.variable}`, variable };
    element[side].push(port);
  }
  port.isConnected = true;
  return name;
}

/** The most ports that an element shows at once. */
const MOST = 60;

// A terminal takes one row on both sides; unfolded, its members follow. Then come the other ports, in a large element only those that are connected or looked for.
function choosePorts(e, open) {
  const terminals = [...new Set([...e.inputs, ...e.outputs].map((p) => p.terminal).filter(Boolean))];
  const plain = (list) => list.filter((p) => !p.terminal);
  const all = plain(e.inputs).length + plain(e.outputs).length + terminals.length;
  const words = open.get(e.id)?.toLowerCase();
  e.isLarge = all > sizes.many;
  e.isOpen = e.isLarge && words !== undefined;
  e.head = e.kind === 'wall' ? 3 : sizes.head;
  let left = MOST;
  const isChosen = (p) => !e.isLarge || p.isConnected || (e.isOpen && p.name.toLowerCase().includes(words) && left-- > 0);
  e.shownInputs = [];
  e.shownOutputs = [];
  e.handles = new Map(); // "in.x" or "out.y" -> the handle that stands for the port
  let row = 0;
  const put = (list, side, ports) => ports.forEach((p, i) => {
    list.push({ ...p, row: row + i });
    e.handles.set(`${side}.${p.name}`, p.name);
  });
  for (const t of terminals) {
    const inputs = e.inputs.filter((p) => p.terminal === t);
    const outputs = e.outputs.filter((p) => p.terminal === t);
    if (e.isLarge && !e.isOpen && terminals.length > sizes.many && ![...inputs, ...outputs].some((p) => p.isConnected)) continue;
    const isFolded = !open.has(t.key);
    for (const [list, side, ports] of [[e.shownInputs, 'in', inputs], [e.shownOutputs, 'out', outputs]]) {
      if (!ports.length) continue;
      list.push({ name: `:${t.name}`, key: t.key, row, variable: { type: 'Terminal', causality: 'terminal', description: t.description, unit: t.kind }, group: t, isFolded, isConnected: ports.some((p) => p.isConnected), needsValue: isFolded && ports.some((p) => p.needsValue), isSecond: side === 'out' && inputs.length > 0 });
      for (const p of ports) e.handles.set(`${side}.${p.name}`, `:${t.name}`);
    }
    row++;
    if (isFolded) continue;
    put(e.shownInputs, 'in', inputs);
    put(e.shownOutputs, 'out', outputs);
    row += Math.max(inputs.length, outputs.length);
  }
  const [inputs, outputs] = [plain(e.inputs).filter(isChosen), plain(e.outputs).filter(isChosen)];
  put(e.shownInputs, 'in', inputs);
  put(e.shownOutputs, 'out', outputs);
  e.total = e.inputs.length + e.outputs.length;
  e.hidden = e.isLarge ? plain(e.inputs).length + plain(e.outputs).length - inputs.length - outputs.length : 0;
  measure(e, row + Math.max(inputs.length, outputs.length));
}

function measure(e, rows) {
  const text = (p) => (!p || p.isSecond ? 0 : p.group ? p.name.length * 6.6 + 44 : p.name.length * 6.6 + Math.max(p.variable.unit?.length ?? 0, shapeOf(p.variable.type) === 'real' ? 7 : 4) * 6 + 10); // a unit, or a value
  const sums = new Array(rows).fill(40);
  for (const p of [...e.shownInputs, ...e.shownOutputs]) sums[p.row] += text(p);
  const own = e.kind === 'wall' ? 60 : Math.max(e.isLarge || e.kind === 'system' ? 190 : 150, e.name.split('.').pop().length * 8 + 80);
  e.width = Math.min(Math.ceil(Math.max(own, ...sums)), 420);
  e.height = e.head + rows * sizes.port + (e.kind === 'wall' ? 3 : sizes.pad) + (e.isLarge ? sizes.foot + (e.isOpen ? sizes.find : 0) : 0);
}

// ---- places ---------------------------------------------------------------------------------------------

/** How many pixels a unit of the file's geometry is: other programs draw components ten units wide. */
export function scaleOf(elements) {
  const widths = [...elements.values()].filter((e) => e.box).map((e) => Math.abs(e.box[2] - e.box[0])).filter((w) => w > 0).sort((a, b) => a - b);
  if (!widths.length) return 1;
  const middle = widths[widths.length >> 1];
  return middle >= 80 && middle <= 600 ? 1 : 180 / middle;
}

/** Position of each element: that of the file, else by dagre. */
export function makePlaces(elements, connections, scale) {
  const places = new Map();
  const free = [];
  let bottom = 0;
  for (const e of elements.values()) {
    if (e.kind === 'wall') continue;
    if (!e.box) {
      free.push(e);
      continue;
    }
    const place = { x: Math.min(e.box[0], e.box[2]) * scale, y: -Math.max(e.box[1], e.box[3]) * scale };
    places.set(e.id, place);
    bottom = Math.max(bottom, place.y + e.height + 48);
  }
  const found = layout(free, connections);
  for (const [id, p] of found) places.set(id, { x: p.x, y: p.y + (places.size > found.size || bottom ? bottom : 0) });
  placeWalls(elements, places);
  return places;
}

/** The connectors of the level itself stand at its sides: inputs left, outputs right. */
export function placeWalls(elements, places) {
  const inner = [...elements.values()].filter((e) => e.kind !== 'wall' && places.has(e.id));
  const at = (f, of, none) => (inner.length ? f(...inner.map(of)) : none);
  const top = at(Math.min, (e) => places.get(e.id).y, 0);
  const sides = { false: at(Math.min, (e) => places.get(e.id).x, 0) - 96, true: at(Math.max, (e) => places.get(e.id).x + e.width, 0) + 96 };
  const next = { false: top, true: top };
  for (const e of elements.values()) {
    if (e.kind !== 'wall') continue;
    places.set(e.id, { x: sides[e.isOut] - (e.isOut ? 0 : e.width), y: next[e.isOut] });
    next[e.isOut] += e.height + 16;
  }
}

/** Left to right, by dagre. */
export function layout(elements, connections) {
  const graph = new dagre.graphlib.Graph({ multigraph: false });
  graph.setGraph({ rankdir: 'LR', nodesep: 32, ranksep: 96, marginx: 24, marginy: 24 });
  graph.setDefaultEdgeLabel(() => ({}));
  const ids = new Set(elements.map((e) => e.id));
  for (const e of elements) graph.setNode(e.id, { width: e.width, height: e.height });
  for (const c of connections) if (ids.has(c.source) && ids.has(c.target)) graph.setEdge(c.source, c.target);
  if (elements.length) dagre.layout(graph);
  return new Map(elements.map((e) => {
    const n = graph.node(e.id);
    return [e.id, { x: Math.round(n.x - e.width / 2), y: Math.round(n.y - e.height / 2) }];
  }));
}

/** The box of an element at a place, as the file has it. */
export const boxOf = (e, place, scale) => [place.x / scale, -(place.y + e.height) / scale, (place.x + e.width) / scale, -place.y / scale];

// ---- connecting -----------------------------------------------------------------------------------------

/** Why an output cannot drive an input, as far as the page knows without asking; null: perhaps it can. */
export function refusal(index, from, to) {
  if (index.terminals.has(from) || index.terminals.has(to)) return matchTerminals(index, from, to).reason;
  const a = variableOf(index, from);
  const b = variableOf(index, to);
  if (!a || !b) return 'there is no such variable';
  if (from === to) return 'a variable cannot drive itself';
  if (!isInput(b) && !isParameter(b)) return `${to} is ${article(b.causality)}; a connection ends at an input`;
  if (isInput(a)) return `${from} is an input; a connection begins at an output`;
  const kinds = [kindOf(a.type), kindOf(b.type)];
  if (kinds[0] !== kinds[1]) return `${a.type} and ${b.type} are different types`;
  const driver = index.into.get(behind(index, to));
  if (driver) return `${driver.from.component}.${driver.from.variable} already drives it`;
  return null;
}

/** The connections that join two terminals as a whole, or the reason why they cannot be joined: {pairs, reason}. */
export function matchTerminals(index, from, to) {
  const no = (reason) => ({ pairs: [], reason });
  const [a, b] = [index.terminals.get(from), index.terminals.get(to)];
  if (!a || !b) return no(`${a ? from : to} is a terminal; a terminal is connected with a terminal`);
  if (a.component === b.component) return no('they belong to the same component');
  if (a.kind && b.kind && a.kind !== b.kind) return no(`${a.kind} and ${b.kind} are different kinds of terminals`);
  if (a.rule !== b.rule) return no(`their members are matched in different ways: ${a.rule} and ${b.rule}`);
  const isSequence = a.rule === 'sequence';
  const partner = (m, i) => (isSequence ? b.members[i] : b.members.find((o) => o.name === m.name));
  const pairs = [];
  for (const [i, m] of a.members.entries()) {
    const other = partner(m, i);
    if (!other && a.rule !== 'bus') return no(`${to} has no member ${isSequence ? `number ${i + 1}` : `'${m.name}'`}`);
    if (!other) continue;
    const [x, y] = [`${a.component}.${m.variable}`, `${b.component}.${other.variable}`];
    const isForward = isOutput(variableOf(index, x));
    if (isForward === isOutput(variableOf(index, y))) return no(`'${m.name}' is ${isForward ? 'an output' : 'an input'} of both`);
    const pair = isForward ? [x, y] : [y, x];
    const reason = refusal(index, ...pair);
    if (reason) return no(`${pair.join(' → ')}: ${reason}`);
    pairs.push(pair);
  }
  if (a.rule !== 'bus' && b.members.length !== a.members.length) return no(`${to} has ${b.members.length} members, ${from} ${a.members.length}`);
  return pairs.length ? { pairs, reason: null } : no('they have no member in common');
}

const article = (word) => (/^[aeiou]/.test(word) ? 'an ' : 'a ') + word;

function kindOf(type) {
  const shape = shapeOf(type);
  return shape === 'real' || shape === 'integer' || shape === 'boolean' || shape === 'enumeration' ? 'number' : shape;
}

/** The variable of "Tank.level", also inside of subsystems, or behind the connector of one. */
export function variableOf(index, key) {
  const c = componentOf(index, key);
  return c && find(c, behind(index, key).slice(c.name.length + 1));
}

export function componentOf(index, name) {
  const key = behind(index, name);
  for (let end = key.indexOf('.'); end > 0; end = key.indexOf('.', end + 1)) {
    const c = index.components.get(key.slice(0, end));
    if (c && find(c, key.slice(end + 1))) return c;
  }
  return null;
}

/** A name for a new component: that of the file, with a number where it is taken. */
export function freshName(index, source, level = '') {
  const base = source.startsWith('builtin:') ? source.slice(8).split('?')[0].replace(/-/g, '_') : source.split('/').pop().replace(/\.[^.]*$/, '');
  const name = (level ? level + '.' : '') + (base.replace(/[.=<>&"'\s]/g, '_') || 'Component');
  if (!index.components.has(name)) return name;
  for (let n = 2; ; n++) if (!index.components.has(`${name}${n}`)) return `${name}${n}`;
}
