import type { Holder } from './holder.ts'
import type { Instance } from './instance.ts'
import type { Target } from './io.ts'
import type { Program } from './program.ts'
import type { InstanceState, RuleState } from './snapshot.ts'
import { Part, type Passes } from './snapshot-pass.ts'

/** A rule that is judged: its instances by device, and what is raised of it by target. */
export class Running extends Part {
  readonly instances = new Map<number, Instance>()
  readonly holders = new Map<Target, Holder>()

  constructor(
    readonly program: Program,
    passes: Passes,
  ) {
    super(passes)
  }

  state(): RuleState {
    const { program, instances, holders } = this
    const state: RuleState = {
      id: program.rule,
      version: program.version,
      ...(program.switchedOff === 0 ? {} : { switchedOff: program.switchedOff }),
      perScope: program.perScope,
      ...(program.places === '' ? {} : { places: program.places }),
      instances: [],
      holders: [],
    }
    for (const [device, instance] of instances) {
      const memory: InstanceState['memory'] = {}
      for (const [place, node] of program.nodes.entries()) {
        const m = instance.memory[place]
        if (m) memory[node.key] = m
      }
      // One that is as it began is begun again.
      if (!instance.on && instance.eager === program.counts && Object.keys(memory).length === 0) continue
      state.instances.push([device, { on: instance.on, eager: instance.eager, memory }])
    }
    for (const [target, holder] of holders) {
      const held = holder.save()
      if (held) state.holders.push([target, held])
    }
    return state
  }
}
