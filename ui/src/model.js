// SPDX-License-Identifier: MIT
// What the diagram shows, made from the project: pure functions, no page.
import dagre from '@dagrejs/dagre';

export const sizes = { head: 44, port: 22, foot: 24, pad: 6, many: 12 };
const REALS = ['Float64', 'Float32'];

/** The shape of a port: that of its type. */
export function shapeOf(type) {
  if (REALS.includes(type)) return 'real';
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
  const index = { components, connections: [], into: new Map(), from: new Map(), values: new Map(), feedthrough: new Map() };
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

/** The elements of a level with their ports: components, and subsystems whose ports are what crosses their wall. */
export function makeElements(index, level, open = new Set()) {
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
  const connections = [];
  for (const c of index.connections) {
    const a = elementOf(c.from.component, level);
    const b = elementOf(c.to.component, level);
    if (!a || !b || a === b) continue;
    const from = portOf(index, elements.get(a), c.from, 'outputs');
    const to = portOf(index, elements.get(b), c.to, 'inputs');
    connections.push({ ...c, source: a, target: b, fromPort: from, toPort: to });
  }
  for (const e of elements.values()) choosePorts(e, open.has(e.id));
  return { elements, connections };
}

function componentElement(index, c) {
  const inputs = [];
  const outputs = [];
  const isTable = c.model.kind === 'table';
  for (const v of c.variables.values()) {
    const key = `${c.name}.${v.name}`;
    if (isInput(v)) {
      const isDriven = index.into.has(key);
      inputs.push({ name: v.name, key, variable: v, isConnected: isDriven, needsValue: !isDriven && !index.values.has(key) });
    } else if (isOutput(v)) outputs.push({ name: v.name, key, variable: v, isConnected: index.from.has(key) });
  }
  const kind = c.source?.startsWith('builtin:') ? 'function' : isTable ? 'table' : 'fmu';
  return { ...c, id: c.name, kind, inputs, outputs, isMissing: !c.source || !!c.model.error };
}

// Elements of arrays, parameters and the walls of subsystems get ports as they are connected.
function portOf(index, element, end, side) {
  const name = element.kind === 'system' ? `${end.component}.${end.variable}`.slice(element.id.length + 1) : end.variable;
  let port = element[side].find((p) => p.name === name);
  if (!port) {
    const variable = find(index.components.get(end.component), end.variable) ?? { name, type: 'Float64' };
    port = { name, key: `${end.component}.${end.variable}`, variable, isConnected: true };
    element[side].push(port);
  }
  return name;
}

function choosePorts(e, isOpen) {
  const all = e.inputs.length + e.outputs.length;
  e.hidden = 0;
  e.isLarge = all > sizes.many;
  if (e.isLarge && !isOpen) {
    e.shownInputs = e.inputs.filter((p) => p.isConnected);
    e.shownOutputs = e.outputs.filter((p) => p.isConnected);
    e.hidden = all - e.shownInputs.length - e.shownOutputs.length;
  } else [e.shownInputs, e.shownOutputs] = [e.inputs, e.outputs];
  const rows = Math.max(e.shownInputs.length, e.shownOutputs.length);
  const text = (p) => (p ? p.name.length * 6.6 + Math.max(p.variable.unit?.length ?? 0, shapeOf(p.variable.type) === 'real' ? 7 : 4) * 6 + 10 : 0); // a unit, or a value
  let width = 150;
  for (let i = 0; i < rows; i++) width = Math.max(width, text(e.shownInputs[i]) + text(e.shownOutputs[i]) + 40);
  width = Math.max(width, e.name.split('.').pop().length * 8 + 80);
  e.width = Math.min(Math.ceil(width), 420);
  e.height = sizes.head + rows * sizes.port + sizes.pad + (e.isLarge ? sizes.foot : 0);
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
  return places;
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
  const a = variableOf(index, from);
  const b = variableOf(index, to);
  if (!a || !b) return 'there is no such variable';
  if (from === to) return 'a variable cannot drive itself';
  if (!isInput(b) && !isParameter(b)) return `${to} is ${article(b.causality)}; a connection ends at an input`;
  if (isInput(a)) return `${from} is an input; a connection begins at an output`;
  const kinds = [kindOf(a.type), kindOf(b.type)];
  if (kinds[0] !== kinds[1]) return `${a.type} and ${b.type} are different types`;
  const system = (key) => componentOf(index, key).name.split('.').slice(0, -1).join('.');
  if (system(from) !== system(to)) return 'they are in different systems: only connectors of these can connect them';
  const driver = index.into.get(to);
  if (driver) return `${driver.from.component}.${driver.from.variable} already drives it`;
  return null;
}

const article = (word) => (/^[aeiou]/.test(word) ? 'an ' : 'a ') + word;

function kindOf(type) {
  const shape = shapeOf(type);
  return shape === 'real' || shape === 'integer' || shape === 'boolean' || shape === 'enumeration' ? 'number' : shape;
}

/** The variable of "Tank.level", also inside of subsystems. */
export function variableOf(index, key) {
  const c = componentOf(index, key);
  return c && find(c, key.slice(c.name.length + 1));
}

export function componentOf(index, key) {
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
