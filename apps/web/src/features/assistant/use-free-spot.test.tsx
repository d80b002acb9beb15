// @vitest-environment happy-dom
import { act, useRef } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { BALL } from './place.ts'
import { useFreeSpot } from './use-free-spot.ts'

vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
const HOME = { x: 100, y: 100 }
const SCREEN = { width: 800, height: 600 }
const looked = vi.fn<(x: number, y: number) => Element[]>()
let root: Root
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  looked.mockReset().mockReturnValue([])
  document.elementsFromPoint = looked
})
afterEach(() => {
  act(() => root.unmount())
  document.body.replaceChildren()
  vi.useRealTimers()
})

let spot = HOME
function Ball() {
  const button = useRef<HTMLButtonElement>(null)
  spot = useFreeSpot(button, HOME, SCREEN, true)
  return <button type="button" ref={button} />
}

const open = () => {
  root = createRoot(document.body.appendChild(document.createElement('div')))
  act(() => root.render(<Ball />))
}
const rest = () => act(() => vi.advanceTimersByTimeAsync(1_000))
const change = () => document.body.appendChild(document.createElement('p'))
const tell = (name: string) => window.dispatchEvent(new Event(name))

it('goes off what can be pressed once the page rests', async () => {
  const pressed = document.body.appendChild(document.createElement('button'))
  looked.mockImplementation((_x, y) => (y < HOME.y + BALL ? [pressed] : []))
  open()
  await rest()
  expect(spot).not.toEqual(HOME)
})

it.each(['pointerup', 'pointercancel', 'dragend', 'blur'])(
  'looks at nothing while the pointer is down, and after %s at the page as it is then',
  async name => {
    open()
    await rest()
    looked.mockClear()
    tell('pointerdown')
    change()
    await rest()
    change()
    await rest()
    expect(looked).not.toHaveBeenCalled()
    tell(name)
    await rest()
    expect(looked).toHaveBeenCalled()
  },
)
