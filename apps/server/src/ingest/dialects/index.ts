import { alibaba } from './alibaba/alibaba.dialect.ts'
import type { Dialect } from './dialect.ts'
import { thingsboard } from './thingsboard/thingsboard.dialect.ts'

const NONE: readonly Dialect[] = []
const ALL: readonly Dialect[] = [thingsboard, alibaba]

/** The dialects that a product's devices may speak besides our own topics. */
export function dialectsOf(settings: { dialects: Readonly<Record<string, unknown>> } | null): readonly Dialect[] {
  if (!settings || (settings.dialects.thingsboard !== true && settings.dialects.alibaba !== true)) return NONE
  return ALL.filter(dialect => settings.dialects[dialect.name] === true)
}
