import type { Ctx } from '../../lib/context.ts'
import type { Mention, Tool, ToolContext } from '../../lib/tools/tools.ts'
import { createToolContext } from '../../modules/assistant/index.ts'
import { FINDERS } from '../assistant-tools.ts'
import type { Container } from '../container.ts'

/** A tool's view of the application for a test: as the caller of `ctx`, at its time, in its language. */
export function toolContext(
  container: Container,
  ctx: Ctx,
  tool: Tool,
  mentions: readonly Mention[] = [],
): ToolContext {
  return createToolContext(
    {
      ctx,
      locale: ctx.locale,
      now: ctx.now,
      timeZone: 'Asia/Shanghai',
      finders: new Map(FINDERS.map(finder => [finder.kind, finder])),
      mentions,
      callApi: (caller, call) => container.api.call(caller, call),
    },
    tool.words,
  )
}
