import type { EntityFinder, Tool } from '../lib/tools.ts'

/** Everything that the assistant and MCP can do. A module joins by its `<module>.tools.ts`. */
export const TOOLS: readonly Tool[] = []

/** How the things that people name are found. */
export const FINDERS: readonly EntityFinder[] = []
