import type { FormatBody } from '@thingwright/contracts/format-schemas'
import type { ThingModel } from '@thingwright/thing-model'
import type { Logger } from '../../lib/log.ts'
import type { ScriptJob, ScriptOutcome } from '../codecs/script/script-jobs.ts'
import { ScriptPool } from '../codecs/script/script-pool.ts'
import { framingTools } from '../transports/links/script-framer.ts'
import { checkFormat } from './check-format.ts'
import { detectFormat } from './detect-format.ts'
import { type DownTrial, tryFormat, type UpTrial } from './try-format.ts'

/** What the API process does with formats, by the same stages as the gateway; scripts run in threads here too. */
export function createFormatTools(logger: Logger) {
  // One thread: people try one frame at a time. It starts with the first script.
  const scripts = new ScriptPool({ logger, size: 1 })
  return {
    check: (body: FormatBody, models: readonly ThingModel[]) => checkFormat(body, models, scripts),
    try: (trial: UpTrial | DownTrial) => tryFormat(trial, scripts),
    detect: detectFormat,
    /** Framing scripts of raw TCP. */
    framing: framingTools(scripts),
    /** Runs a script that belongs to no product, once. */
    async script(source: string, job: ScriptJob): Promise<ScriptOutcome> {
      const handle = scripts.open(source)
      try {
        return await handle.run(job)
      } finally {
        handle.close()
      }
    },
    stop: () => scripts.stop(),
  }
}

export type FormatTools = ReturnType<typeof createFormatTools>
