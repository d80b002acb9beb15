import type { EntityFinder, Tool } from '../lib/tools.ts'
import { deviceFinder, devicesTools } from '../modules/devices/index.ts'
import { groupFinder } from '../modules/groups/index.ts'
import { productFinder } from '../modules/products/index.ts'
import { COMPANY_FINDERS, COMPANY_TOOLS } from './company-tools.ts'

/** Everything that the assistant and MCP can do. A module joins by its `<module>.tools.ts`. */
export const TOOLS: readonly Tool[] = [...COMPANY_TOOLS, ...devicesTools]

/** How the things that people name are found. */
export const FINDERS: readonly EntityFinder[] = [...COMPANY_FINDERS, deviceFinder, productFinder, groupFinder]
