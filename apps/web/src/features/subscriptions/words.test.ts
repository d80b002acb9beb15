import { describe, expect, it } from 'vitest'
import { lagText, reasonText, statusOf, targetText } from './words.ts'

const t = ((key: string) => `<${key}>`) as never

describe('words of subscriptions', () => {
  it('tells a pause by somebody from one by failures, and health only while it delivers', () => {
    expect(statusOf({ state: 'paused', pausedReason: 'user', health: 'healthy' })).toEqual({
      key: 'paused_user',
      kind: 'disabled',
    })
    expect(statusOf({ state: 'paused', pausedReason: 'failures', health: 'down' }).kind).toBe('error')
    expect(statusOf({ state: 'active', pausedReason: null, health: 'degraded' })).toEqual({
      key: 'degraded',
      kind: 'warning',
    })
  })

  it('names the place of every kind of target', () => {
    expect(targetText({ kind: 'webhook', url: 'https://a.example/in' })).toBe('https://a.example/in')
    expect(targetText({ kind: 'nats', url: 'nats://n:4222', subject: 'things.{type}' })).toBe(
      'nats://n:4222 things.{type}',
    )
    expect(targetText({ kind: 'kafka', brokers: ['a:9092', 'b:9092'], topic: 'things' })).toBe('a:9092, b:9092 things')
    expect(targetText({ kind: 'mqtt', topicFilter: 'subscriptions/1/#' })).toBe('subscriptions/1/#')
    expect(targetText({ kind: 'pull', path: '/api/v1/subscriptions/1/items' })).toBe('/api/v1/subscriptions/1/items')
  })

  it('translates the word of a reason and keeps its detail; what is unknown stays as it came', () => {
    expect(reasonText('status 503', t)).toBe('<reason.status> · 503')
    expect(reasonText('timeout', t)).toBe('<reason.timeout>')
    expect(reasonText('timeouts are new', t)).toBe('timeouts are new')
    expect(reasonText(null, t)).toBe('')
  })

  it('shows no lag when nothing waits', () => {
    expect(lagText(0)).toBe('–')
    expect(lagText(20)).not.toBe('–')
  })
})
