import type { EntityFinder, Tool } from '../lib/tools/tools.ts'
import { commandsTools } from '../modules/commands/index.ts'
import { deviceFinder, devicesTools } from '../modules/devices/index.ts'
import { diagnosisTools } from '../modules/diagnosis/index.ts'
import { groupFinder, groupsTools } from '../modules/groups/index.ts'
import { productLibraryTools } from '../modules/product-library/index.ts'
import { productFinder, productsTools } from '../modules/products/index.ts'
import { telemetryTools } from '../modules/telemetry/index.ts'

/** The tools for devices and products: their data, their commands, and why data does not arrive. */
export const THING_TOOLS: readonly Tool[] = [
  ...devicesTools,
  ...telemetryTools,
  ...diagnosisTools,
  ...productsTools,
  ...productLibraryTools,
  ...groupsTools,
  ...commandsTools,
]

/** How devices, products and groups are found. */
export const THING_FINDERS: readonly EntityFinder[] = [deviceFinder, productFinder, groupFinder]
