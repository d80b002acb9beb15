import { expect, it } from 'vitest'
import { suggestedTopics } from './suggested-topics.ts'

it.each([
  ['PK/SN-001', 'things/PK/SN-001/#', 'things/PK/SN-001/property/post'],
  ['sub/0190-a', 'subscriptions/0190-a/#', ''],
  ['twt_abc', '', ''],
  ['PK/+', '', ''],
  ['', '', ''],
])('%s may use %s and %s', (username, subscribe, publish) => {
  expect(suggestedTopics(username)).toEqual({ subscribe, publish })
})
