/** A command whose row changed, for live subscribers. */
export interface ChangedCommand {
  device: number
  id: string
}

/** A change of a background task, sent to the pages of the person who started it. */
export interface TaskChange {
  id: string
  ownerId: string | null
  patch: {
    state: 'queued' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled'
    done: number
    total: number | null
    failedCount: number
    cancelRequested: boolean
  }
}

/** What visitors of a cloud page are shown at once. `level` of the alarm, 0: none. */
export interface PageMessage {
  kind: 'popup' | 'speak'
  text: string
  level: number
}

/**
 * What is told after it was committed, by name. News have no answer: who needs one asks through a port that is handed to
 * him. What nobody hears is lost, so it only makes things quicker or forgets what is known; nothing may depend on it.
 */
export interface NewsMap {
  /** Rights of these people are different from now on. */
  'rights.changed': { logins: readonly string[] }
  /** These API keys, or those that stand on these logins, may have lost something. */
  'keys.changed': { ids: readonly string[] }
  /** The state of a company: who is signed in is looked up again. */
  'company.changed': { tenantId: string }
  /** Devices have another owner, an end user or (null) the company itself; whose they were is in the hand-over's record. */
  'owner.changed': { tenantId: string; deviceIds: readonly string[]; to: string | null }
  /** Inboxes of the company. */
  'inbox.changed': { tenantId: string }
  /** The installation's menu, for everybody. */
  'menu.changed': Record<never, never>
  /** Rows of commands. */
  'commands.changed': { commands: readonly ChangedCommand[] }
  /** A background task went on. */
  'task.changed': TaskChange
  /** Devices reported for the first time. */
  'devices.activated': { devices: readonly number[] }
  /** Something that open pages follow under a topic of its module (`LiveTopic`): the object, and what is different of it. */
  'live.changed': { topic: string; id: string; patch: Record<string, unknown> }
  /** Alarms that were raised, changed or cleared. */
  'alarms.changed': { tenantId: string; ids: readonly string[] }
  /** The gravest open alarm of a device is another; 0: it has none. */
  'alarm_levels.changed': { devices: readonly { device: number; level: number }[] }
  /** These triggers changed, or a button, a call or a failed command waits for them. */
  'triggers.changed': { ids: readonly string[] }
  /** Actions of triggers wait to be done; these triggers were stopped by their guard. */
  'trigger_actions.due': { paused: readonly string[] }
  /** Runs of timed tasks or scenes wait to be done. */
  'timed_tasks.due': Record<never, never>
  /** These cloud pages: what visitors see of them, or who may. */
  'pages.changed': { ids: readonly string[] }
  /** A message for the visitors who have the cloud page open: shown, and read aloud where it is spoken. */
  'page.message': { pageId: string; message: PageMessage }
  /** The account of a subscription on the MQTT listener must sign in anew. */
  'subscription.account_ended': { id: string }
}

export type NewsName = keyof NewsMap

/** Says that something happened; inside a transaction `scope.tell`, which waits for the commit. */
export type Tell = <K extends NewsName>(name: K, news: NewsMap[K]) => void

/** What somebody does when he hears of something. */
export type Hearing = { readonly [K in NewsName]?: (news: NewsMap[K]) => void }

export interface News {
  tell: Tell
  /** Listeners are told in the order in which they came. */
  hear(hearing: Hearing): void
}

/** @param onError told of a listener that failed; the others hear it all the same */
export function createNews(onError: (error: Error) => void): News {
  const listeners: Hearing[] = []
  return {
    tell(name, news) {
      for (const hearing of listeners) {
        try {
          hearing[name]?.(news)
        } catch (error) {
          onError(error instanceof Error ? error : new Error(String(error)))
        }
      }
    },
    hear: hearing => void listeners.push(hearing),
  }
}
