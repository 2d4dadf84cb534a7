// SPDX-License-Identifier: MIT
// Talking to the server. The token comes with the address and is kept for this tab alone.
const fresh = location.hash.slice(1);
if (fresh) {
  sessionStorage.setItem('takt-token', fresh);
  history.replaceState(null, '', location.pathname);
}
const token = fresh || sessionStorage.getItem('takt-token') || '';

/** A request; fails with the server's message. */
export async function call(path, body, raw) {
  const options = { headers: { 'X-Takt-Token': token } };
  if (body !== undefined || raw) {
    options.method = 'POST';
    options.body = raw ?? JSON.stringify(body);
  }
  const answer = await fetch('/api/' + path, options);
  if (!answer.ok) {
    const failure = new Error((await answer.json().catch(() => ({}))).error ?? answer.statusText);
    failure.status = answer.status;
    throw failure;
  }
  return answer;
}

export const get = async (path) => (await call(path)).json();
export const post = async (path, body) => (await call(path, body)).json();

/** Saves what the server answers as a file. */
export async function download(path, name) {
  const url = URL.createObjectURL(await (await call(path)).blob());
  saveUrl(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function saveUrl(url, name) {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}

/** Reads events for ever: `on.event(name, data)`, `on.open()`, `on.lost(failure)`. */
export async function listen(on) {
  for (;;) {
    try {
      const answer = await call('events');
      on.open();
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ''; ; ) {
        const { value, done } = await reader.read();
        if (done) throw new Error('the server has ended');
        text += value;
        const blocks = text.split('\n\n');
        text = blocks.pop();
        for (const block of blocks) {
          const event = /^event: (.*)$/m.exec(block)?.[1];
          if (event) on.event(event, JSON.parse(/^data: (.*)$/m.exec(block)[1]));
        }
      }
    } catch (failure) {
      on.lost(failure);
      if (failure.status === 401) return;
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
