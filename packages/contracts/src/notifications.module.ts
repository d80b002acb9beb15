import type { ModuleFacts } from './module.ts'

export const notificationsModule = {
  // Says only that inboxes of the company changed; whoever hears it asks for his own.
  live: [{ pattern: 'inbox', permission: 'signed-in' }],
} as const satisfies ModuleFacts
