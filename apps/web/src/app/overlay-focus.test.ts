// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { keepOverlayFocus } from './overlay-focus.ts'

let end: () => void

beforeEach(() => {
  document.body.innerHTML = '<div id="root"><button id="open">Open</button><input id="page"></div>'
  // The document of the tests has no layout: what is in it and not hidden counts as seen.
  vi.spyOn(HTMLElement.prototype, 'getClientRects').mockImplementation(function (this: HTMLElement) {
    const seen = this.isConnected && !this.closest('[style*="display: none"]')
    return (seen ? [{}] : []) as unknown as DOMRectList
  })
  end = keepOverlayFocus(document)
})
afterEach(() => {
  end()
  vi.restoreAllMocks()
})

const at = (id: string) => document.getElementById(id)!
const focused = () => document.activeElement?.id

function show(id: string, inner: string): HTMLElement {
  const host = document.createElement('div')
  host.innerHTML = `<div class="ant-drawer" id="${id}" tabindex="-1"><button class="ant-drawer-close" id="${id}-close">x</button><div class="ant-drawer-body">${inner}</div></div>`
  document.body.append(host)
  return host
}

it('puts the focus into the first field of a drawer, and back to its button when the page takes the drawer away', async () => {
  at('open').focus()
  const host = show('d', '<input type="hidden"><input id="no" disabled><input id="name"><input id="second">')
  at('d').focus()
  await expect.poll(focused).toBe('name')
  host.remove()
  await expect.poll(focused).toBe('open')
})

it('finds the way back after a walk through more fields than it remembers', async () => {
  at('open').focus()
  const host = show('d', Array.from({ length: 60 }, (_, n) => `<input id="f${n}">`).join(''))
  at('d').focus()
  await expect.poll(focused).toBe('f0')
  for (let n = 0; n < 60; n++) at(`f${n}`).focus()
  host.remove()
  await expect.poll(focused).toBe('open')
})

it('goes back to its button also when the way round the fields led over the page', async () => {
  at('open').focus()
  const host = show('d', '<input id="name">')
  at('d').focus()
  await expect.poll(focused).toBe('name')
  at('page').focus()
  at('name').focus()
  host.remove()
  await expect.poll(focused).toBe('open')
})

it('waits for a field that comes late, and takes it from the button that closes', async () => {
  at('open').focus()
  show('d', '')
  at('d-close').focus()
  document.querySelector('#d .ant-drawer-body')!.innerHTML = '<textarea id="late"></textarea>'
  await expect.poll(focused).toBe('late')
})

it('leaves the focus where the page put it, and where the person moved it', async () => {
  show('d', '<input id="name"><button id="yes">Yes</button>')
  at('yes').focus()
  const other = show('e', '')
  at('e').focus()
  at('e').dispatchEvent(new KeyboardEvent('keydown', { key: 'Tab', bubbles: true }))
  await expect.poll(focused).toBe('e')
  document.querySelector('#e .ant-drawer-body')!.innerHTML = '<input id="late">'
  await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  expect(focused()).toBe('e')
  // The dialog over a drawer gives it back to the drawer.
  other.remove()
  await expect.poll(focused).toBe('yes')
})

it('gives it back when a drawer is hidden and kept, past what is gone by then', async () => {
  at('page').focus()
  at('open').focus()
  show('d', '<input id="name">')
  at('d').focus()
  await expect.poll(focused).toBe('name')
  at('open').remove()
  at('d').style.display = 'none'
  await expect.poll(focused).toBe('page')
})
