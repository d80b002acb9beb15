import type { CommandView } from '@thingwright/contracts/commands.contract'
import { describe, expect, it } from 'vitest'
import { withKnown } from './known-commands.ts'

const command = (id: string, state: CommandView['state']) => ({ id, state }) as CommandView
const states = (commands: CommandView[]) => commands.map(({ id, state }) => `${id} ${state}`)

describe('commands of a simulated device', () => {
  it('take in those that left before anybody listened and still wait for an answer', () =>
    expect(states(withKnown([], [command('b', 'sent'), command('a', 'succeeded')]))).toEqual(['b sent']))

  it('learn what became of them during a cut, and never go back', () =>
    expect(
      states(
        withKnown(
          [command('c', 'sent'), command('b', 'sent'), command('a', 'succeeded')],
          [command('b', 'timed_out'), command('a', 'sent')],
        ),
      ),
    ).toEqual(['c sent', 'b timed_out', 'a succeeded']))
})
