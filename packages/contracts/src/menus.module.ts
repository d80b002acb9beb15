import type { ModuleFacts } from './module.ts'

export const menusModule = {
  // The installation's menu changed.
  live: [{ pattern: 'menus', permission: 'signed-in' }],
} as const satisfies ModuleFacts
