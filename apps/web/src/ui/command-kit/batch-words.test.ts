import type { CommandBatchView } from '@thingwright/contracts/command-batches.contract'
import { BATCH_ITEM_STATES } from '@thingwright/contracts/commands.words'
import { expect, it } from 'vitest'
import { isOver, kindOfItem, sumOf } from './batch-words.ts'

const batch = (state: CommandBatchView['state'], counts: Record<string, number>, total: number) =>
  ({ state, counts, total }) as CommandBatchView

it('sums every state once', () => {
  const counts = Object.fromEntries(BATCH_ITEM_STATES.map((state, i) => [state, 2 ** i]))
  const total = 2 ** BATCH_ITEM_STATES.length - 1
  const { ok, bad, cancelled, open } = sumOf({ counts, total })
  expect(ok + bad + cancelled + open).toBe(total)
  expect(open).toBe(2 ** 0 + 2 ** 2 + 2 ** 3 + 2 ** 4)
  expect(new Set(BATCH_ITEM_STATES.map(kindOfItem))).toEqual(
    new Set(['neutral', 'error', 'processing', 'success', 'warning', 'disabled']),
  )
})

it('is over when no device is open any more', () => {
  expect(isOver(batch('done', { succeeded: 2, refused: 1 }, 3))).toBe(true)
  expect(isOver(batch('done', { succeeded: 2, queued: 1 }, 3))).toBe(false)
  expect(isOver(batch('running', { succeeded: 3 }, 3))).toBe(false)
})
