import type { FromGateway, ToGateway } from '../ingest/channel/ipc.ts'
import type { SubscriberAnswer, SubscriberPort } from '../modules/subscriptions/subscriber.port.ts'

type Post = (message: ToGateway) => void

/** What the gateway says of the clients of subscriptions. */
export type SubscriberNews = Extract<FromGateway, { type: 'subscriber_ready' | 'subscriber_answer' }>

export interface GatewaySubscribers extends SubscriberPort {
  receive(news: SubscriberNews): void
  /** The gateway process is up: from now on it can be given messages. */
  began(): void
  /** The gateway process is gone, and every client with it. */
  lost(): void
}

/** The main process's end of the accounts of subscriptions. `post` is null while there is no gateway. */
export function createGatewaySubscribers(post: () => Post | null): GatewaySubscribers {
  const waiting = new Map<number, (answer: SubscriberAnswer) => void>()
  const listeners = new Map<string, Set<() => void>>()
  // Clients are let in a little before the process says that it is up. Who told his queue then would find nobody, and
  // a process that ends before it is up has told nothing.
  const early = new Set<string>()
  let deliveries = 0

  function tell(subscriptionId: string): void {
    for (const ready of listeners.get(subscriptionId) ?? []) ready()
  }

  return {
    deliver(subscriptionId, flow, messages, signal) {
      const send = post()
      if (!send || signal.aborted) return Promise.resolve({ kind: 'away' })
      const id = ++deliveries
      return new Promise(resolve => {
        const settle = (answer: SubscriberAnswer) => {
          waiting.delete(id)
          signal.removeEventListener('abort', stop)
          resolve(answer)
        }
        const stop = () => settle({ kind: 'away' })
        signal.addEventListener('abort', stop, { once: true })
        waiting.set(id, settle)
        send({ type: 'subscriber_deliver', id, subscriptionId, flow, messages })
      })
    },
    kickSubscriber: subscriptionId => post()?.({ type: 'subscriber_kick', subscriptionId }),
    onSubscriberReady(subscriptionId, ready) {
      const here = listeners.get(subscriptionId) ?? new Set()
      listeners.set(subscriptionId, here.add(ready))
      return () => {
        here.delete(ready)
        if (here.size === 0 && listeners.get(subscriptionId) === here) listeners.delete(subscriptionId)
      }
    },
    receive(news) {
      if (news.type === 'subscriber_answer') waiting.get(news.id)?.(news.answer)
      else if (post()) tell(news.subscriptionId)
      else early.add(news.subscriptionId)
    },
    began() {
      const waited = [...early]
      early.clear()
      for (const subscriptionId of waited) tell(subscriptionId)
    },
    lost() {
      early.clear()
      for (const settle of [...waiting.values()]) settle({ kind: 'away' })
    },
  }
}
