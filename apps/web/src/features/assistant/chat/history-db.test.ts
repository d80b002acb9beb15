import { expect, it } from 'vitest'
import type { AssistantMessage } from '../model.ts'
import { joined } from './history-db.ts'

const message = (key: string, time: number, changed?: number): AssistantMessage => ({
  key,
  type: 'L',
  data: `${key} ${changed ?? time}`,
  state: 2,
  time,
  ...(changed === undefined ? {} : { changed }),
})
const keys = (messages: AssistantMessage[]) => messages.map(({ data }) => data)

it('keeps what two tabs wrote into one conversation, the later version of each message', () => {
  const common = [message('a', 1), message('b', 1)]
  expect(
    keys(joined([...common, message('c', 5), message('d', 5)], [...common, message('e', 3), message('f', 3)])),
  ).toEqual(['a 1', 'b 1', 'e 3', 'f 3', 'c 5', 'd 5'])
  expect(keys(joined([message('a', 1, 9)], [message('a', 1, 4)]))).toEqual(['a 9'])
  expect(keys(joined([message('a', 1, 4)], [message('a', 1, 9)]))).toEqual(['a 9'])
})

it('takes a reply that has ended for later than the same one that comes, within one moment', () => {
  const ended = message('a', 1, 4)
  const coming = { ...ended, data: 'half', state: 1 as const }
  expect(joined([ended], [coming])).toEqual([ended])
  expect(joined([coming], [ended])).toEqual([ended])
})
