import type { CommandView } from '@thingwright/contracts/commands.contract'
import { expect, it } from 'vitest'
import { withCommand } from './use-commands.ts'

const command = (id: string, state: CommandView['state'], attempt = 1) => ({ id, state, attempt }) as CommandView
const pages = () => [
  { items: [command('b', 'sent')], nextCursor: 'x' },
  { items: [command('a', 'queued')], nextCursor: null },
]
const states = (list: ReturnType<typeof withCommand>) => list.map(page => page.items.map(c => `${c.id}:${c.state}`))

it('a patch finds its command on whatever page it is', () => {
  expect(states(withCommand(pages(), command('a', 'succeeded'), null))).toEqual([['b:sent'], ['a:succeeded']])
})

it('a new command stands at the head, but only in the lists it belongs to', () => {
  expect(states(withCommand(pages(), command('c', 'queued'), null))).toEqual([['c:queued', 'b:sent'], ['a:queued']])
  expect(states(withCommand(pages(), command('c', 'queued'), null, 'schedule'))).toEqual([['b:sent'], ['a:queued']])
  expect(states(withCommand(pages(), command('c', 'queued'), 'failed'))).toEqual([['b:sent'], ['a:queued']])
})

it('an older message changes nothing', () => {
  expect(states(withCommand(pages(), command('b', 'queued'), null))[0]).toEqual(['b:sent'])
})
