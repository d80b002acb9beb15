import { Type } from 'typebox'
import type { Tool } from '../../../lib/tools/tools.ts'
import type { LlmTool } from '../llm.port.ts'

const DESCRIPTION = 1000

export const PLAN = 'make_plan'

const planInput = Type.Object(
  {
    steps: Type.Array(
      Type.Object(
        {
          tool: Type.String({ description: 'Name of one of the other tools' }),
          input: Type.Object({}, { additionalProperties: true, description: 'Its input' }),
        },
        { additionalProperties: false },
      ),
      { minItems: 2, maxItems: 10 },
    ),
  },
  { additionalProperties: false },
)

/** The tools in the provider's words, and the plan where there is something to plan. */
export function toolsForModel(chosen: readonly Tool[]): LlmTool[] {
  const tools: LlmTool[] = chosen.map(({ name, description, input }) => ({
    name,
    description: description.slice(0, DESCRIPTION),
    input,
  }))
  if (chosen.some(tool => tool.class !== 'read'))
    tools.push({
      name: PLAN,
      description:
        'Several changes as one plan, which the person approves and can undo as a whole. Each step names a tool and gives its input; the text "$1.id" in an input stands for the id of what step 1 made. Use it whenever a task needs more than one change. No reading tools in it.',
      input: planInput,
    })
  return tools
}

/** @returns the steps, or what is wrong with them */
export function readPlan(input: Record<string, unknown>): { tool: string; input: Record<string, unknown> }[] | string {
  const steps = input.steps
  if (!Array.isArray(steps) || steps.length < 1 || steps.length > 10) return 'steps must be a list of 2 to 10 steps'
  const read: { tool: string; input: Record<string, unknown> }[] = []
  for (const step of steps) {
    if (!isObject(step) || typeof step.tool !== 'string') return 'every step needs a tool and an input'
    if (step.tool === PLAN) return 'a plan cannot hold a plan'
    if (step.input !== undefined && !isObject(step.input)) return 'the input of a step must be an object'
    read.push({ tool: step.tool, input: (step.input as Record<string, unknown> | undefined) ?? {} })
  }
  return read
}

/** Arguments as a model wrote them. @returns the input, or what is wrong with it */
export function readArguments(text: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}')
    return isObject(value) ? value : 'the arguments must be a JSON object'
  } catch {
    return 'the arguments are no valid JSON'
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
