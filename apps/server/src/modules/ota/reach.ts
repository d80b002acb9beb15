import type { CampaignScope } from '@thingwright/contracts/firmware-schemas'
import { type PlanStep, planPath } from './ota-plan.ts'
import type { PackageRow } from './packages.repo.ts'
import { isSameVersion, versionKey } from './version-key.ts'

/** How a device of some version stands to a campaign. */
export type Reach =
  | { why: 'target'; steps: PlanStep[] }
  | { why: 'up_to_date' | 'newer' | 'no_path' | 'not_chosen'; steps: null }

export interface ReachQuestion {
  toVersion: string
  orderNo: number
  /** All packages of the module, whatever their state. */
  packages: readonly PackageRow[]
  /** Only verified ones may be used. */
  verifiedOnly: boolean
  /** A trial of this very package: whatever is said of it. */
  trial: string | null
  allowDowngrade: boolean
  fromVersions: CampaignScope['fromVersions']
}

/** Packages that a device may be given. */
export function usable(
  question: Pick<ReachQuestion, 'packages' | 'verifiedOnly' | 'trial' | 'toVersion'>,
): PackageRow[] {
  return question.packages.filter(item => {
    if (item.id === question.trial) return item.state !== 'disabled'
    // A trial tries this package: another one of the same version would prove nothing.
    if (question.trial !== null && isSameVersion(item.version, question.toVersion)) return false
    if (item.state === 'disabled' || item.state === 'verification_failed') return false
    return !question.verifiedOnly || item.state === 'verified'
  })
}

/** Answers for one version after the other; what was asked once is remembered. */
export function createReach(question: ReachQuestion): (version: string | null) => Reach {
  const packages = usable(question)
  const orders = new Map(question.packages.map(item => [versionKey(item.version), item.orderNo]))
  const known = new Map<string | null, Reach>()
  function answer(version: string | null): Reach {
    const { fromVersions } = question
    if (isSameVersion(version, question.toVersion)) return { why: 'up_to_date', steps: null }
    if (
      fromVersions &&
      fromVersions.length > 0 &&
      (version === null || !fromVersions.some(chosen => isSameVersion(chosen, version)))
    )
      return { why: 'not_chosen', steps: null }
    const order = version === null ? undefined : orders.get(versionKey(version))
    if (!question.allowDowngrade && order !== undefined && order > question.orderNo)
      return { why: 'newer', steps: null }
    const steps = planPath(packages, version, question.toVersion)
    return steps ? { why: 'target', steps } : { why: 'no_path', steps: null }
  }
  return version => {
    const reach = known.get(version) ?? answer(version)
    known.set(version, reach)
    return reach
  }
}
