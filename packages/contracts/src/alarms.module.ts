import type { ModuleFacts } from './module.ts'

export const alarmsModule = {
  rights: ['alarm:read', 'alarm:acknowledge', 'alarm:handle', 'alarm:configure'],
  roles: {
    operations: ['alarm:read', 'alarm:acknowledge', 'alarm:handle', 'alarm:configure'],
    developer: ['alarm:read', 'alarm:acknowledge'],
    read_only: ['alarm:read'],
    support: ['alarm:read', 'alarm:acknowledge', 'alarm:handle'],
  },
  pages: { '/manage/user/center/alarm': ['operations', 'developer', 'read_only', 'support'] },
  // Alarms that are raised, changed or cleared: a patch is the alarm as its list shows it. There is no snapshot.
  live: [{ pattern: 'alarms', permission: 'alarm:read' }],
} as const satisfies ModuleFacts
