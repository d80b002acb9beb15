export const TOOL_CLASSES = ['read', 'write', 'delete', 'control'] as const

export const ASSISTANT_ENGINES = ['off', 'builtin', 'installation', 'own'] as const
