import { describe, expect, it } from 'vitest'
import { mayPublish, maySubscribe, rateOf, rightsOf } from './topic-rights.ts'

const list = (allow: string[], deny: string[] = []) => ({ allow, deny })

describe('topic rights', () => {
  it('are the device’s own in each direction where it has a list, else its product’s', () => {
    expect(rightsOf({}, {})).toBeNull()
    const product = { topics: { publish: list(['property/post']), subscribe: list([], ['ota/#']) } }
    expect(rightsOf(product, { topics: { publish: list([]) } })).toEqual({
      publish: list([]),
      subscribe: list([], ['ota/#']),
    })
    expect(rateOf({ messagesPerSecond: 5 }, {})).toBe(5)
    expect(rateOf({ messagesPerSecond: 5 }, { messagesPerSecond: 2 })).toBe(2)
    expect(rateOf({}, {})).toBeNull()
  })

  it.each([
    [list([]), 'property/post', true],
    [list(['property/#']), 'property/post', true],
    [list(['property/#']), 'event/x/post', false],
    [list(['event/+/post']), 'event/x/post', true],
    [list([], ['event/door/post']), 'event/door/post', false],
    [list(['event/#'], ['event/door/post']), 'event/window/post', true],
  ])('publishing with %o to %s: %s', (publish, suffix, expected) => {
    expect(mayPublish({ publish, subscribe: null }, suffix)).toBe(expected)
  })

  it.each([
    [list([], ['ota/notify']), '#', false],
    [list([], ['ota/notify']), '+/notify', false],
    [list([], ['ota/notify']), 'property/#', true],
    [list([], ['ota/#']), 'ota', false],
    [list(['property/#']), '#', false],
    [list(['property/#']), 'property/set', true],
    [list(['property/+']), 'property/#', false],
    [list(['service/+/invoke']), 'service/+/invoke', true],
    [list(['service/+/invoke']), 'service/restart/invoke', true],
    [list(['service/restart/invoke']), 'service/+/invoke', false],
    [list(['#']), '#', true],
  ])('subscribing with %o to %s: %s', (subscribe, filter, expected) => {
    expect(maySubscribe({ publish: null, subscribe }, filter)).toBe(expected)
  })
})
