import type { EntityFinder, Tool } from '../lib/tools.ts'
import { deviceFinder, devicesTools } from '../modules/devices/index.ts'
import { groupFinder } from '../modules/groups/index.ts'
import { memberFinder, membersTools } from '../modules/members/index.ts'
import { productFinder } from '../modules/products/index.ts'
import { roleFinder, rolesTools } from '../modules/roles/index.ts'

/** Everything that the assistant and MCP can do. A module joins by its `<module>.tools.ts`. */
export const TOOLS: readonly Tool[] = [...membersTools, ...rolesTools, ...devicesTools]

/** How the things that people name are found. */
export const FINDERS: readonly EntityFinder[] = [memberFinder, roleFinder, deviceFinder, productFinder, groupFinder]
