import type { LoraNeeds } from './lora.module.ts'

/** For tests that begin no work beside. */
export const NO_TASKS: LoraNeeds['tasks'] = {
  register: () => undefined,
  service: null as never,
}
