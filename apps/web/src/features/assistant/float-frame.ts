import type { ComponentType, ReactNode } from 'react'

/** What the app draws console parts in: its component library and query cache, on public pages too. */
export type FloatFrame = ComponentType<{ children: ReactNode }>
