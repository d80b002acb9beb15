import { expect, it } from 'vitest'
import { lastUsable } from './focus-return.ts'

const place = (name: string, isConnected = true) => ({ name, isConnected })

it('the focus goes to the last place that is still there and can be seen', () => {
  const places = [place('menu'), place('button'), place('hidden'), place('in the drawer', false)]
  expect(lastUsable(places, ({ name }) => name !== 'hidden')?.name).toBe('button')
  expect(lastUsable([place('gone', false)], () => true)).toBeNull()
  expect(lastUsable([], () => true)).toBeNull()
})
