import type { EntityFinder, Tool } from '../lib/tools/tools.ts'
import { COMPANY_FINDERS, COMPANY_TOOLS } from './company-tools.ts'
import { FURTHER_MODULES } from './further-modules.ts'
import { THING_FINDERS, THING_TOOLS } from './thing-tools.ts'

/** Everything that the assistant and MCP can do. A module joins by its `<module>.tools.ts`. */
export const TOOLS: readonly Tool[] = [
  ...COMPANY_TOOLS,
  ...THING_TOOLS,
  ...FURTHER_MODULES.flatMap(module => module.tools ?? []),
]

/** How the things that people name are found. */
export const FINDERS: readonly EntityFinder[] = [
  ...COMPANY_FINDERS,
  ...THING_FINDERS,
  ...FURTHER_MODULES.flatMap(module => module.finders ?? []),
]
