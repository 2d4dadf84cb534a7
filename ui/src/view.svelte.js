// SPDX-License-Identifier: MIT
// How the diagram is looked at; nothing of it is saved.
class View {
  showLoops = $state(true);
  showOrder = $state(true);
  showUnits = $state(true);
  showValues = $state(true); // of the latest run, in place of units
  hover = $state(null); // "Tank" or "Tank.level": what the pointer is over, whose feedthrough is shown
  open = $state.raw(new Map()); // what is looked for in components that show all ports; and terminals that are unfolded
  port = $state(null); // the port that had the focus last
  from = $state(null); // the output from which a connection is drawn
  targets = $state.raw(new Set()); // the inputs that fit it
  toggle(id) {
    const open = new Map(this.open);
    if (!open.delete(id)) open.set(id, '');
    this.open = open;
  }
  look(id, words) {
    this.open = new Map(this.open).set(id, words);
  }
}

export const view = new View();
