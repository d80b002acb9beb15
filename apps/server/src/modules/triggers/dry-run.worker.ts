import { parentPort, workerData } from 'node:worker_threads'
import { DryRunJudge, type DryRunTask, programOf, type SeriesPart } from './dry-run-judge.ts'

/** The thread in which one dry run over the past is judged; see dry-run-threads.ts. */

const task = workerData as DryRunTask
const compiled = programOf(task)
if (!compiled.ok) throw new Error(`a dry run that was compiled before: ${JSON.stringify(compiled.problems)}`)
const judge = new DryRunJudge(task, compiled.program)

parentPort!.on('message', (message: SeriesPart | null) => {
  if (message !== null) judge.add(message)
  else parentPort!.postMessage(judge.judge())
})
