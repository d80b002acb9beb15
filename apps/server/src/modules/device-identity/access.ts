import type { TopicList, TopicRights } from '@thingwright/contracts/device-identity.contract'

/** Topic rights and limit as they stand in the column `access` of products and devices. */
export interface StoredAccess {
  topics?: { publish?: TopicList | null; subscribe?: TopicList | null } | null
  messagesPerSecond?: number | null
}

export interface Access {
  topics: TopicRights
  messagesPerSecond: number | null
}

export function toAccess(stored: StoredAccess): Access {
  return {
    topics: { publish: stored.topics?.publish ?? null, subscribe: stored.topics?.subscribe ?? null },
    messagesPerSecond: stored.messagesPerSecond ?? null,
  }
}

/** What is in force: the device's own, and where it has none its product's (ingest/topics/topic-rights.ts). */
export function effectiveAccess(product: StoredAccess, device: StoredAccess): Access {
  const own = toAccess(device)
  const base = toAccess(product)
  return {
    topics: {
      publish: own.topics.publish ?? base.topics.publish,
      subscribe: own.topics.subscribe ?? base.topics.subscribe,
    },
    messagesPerSecond: own.messagesPerSecond ?? base.messagesPerSecond,
  }
}

/** The stored access with a change: what is absent stays. */
export function changedAccess(stored: StoredAccess, change: Partial<Access>): StoredAccess {
  return {
    ...stored,
    ...(change.topics === undefined ? {} : { topics: change.topics }),
    ...(change.messagesPerSecond === undefined ? {} : { messagesPerSecond: change.messagesPerSecond }),
  }
}
