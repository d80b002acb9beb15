import type { OtaPreview } from '@thingwright/contracts/ota.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { bytesOf } from './ota-plan.ts'
import * as packages from './packages.repo.ts'
import { createReach } from './reach.ts'
import { findProduct } from './settings.repo.ts'
import { type TargetQuery, targetVersions } from './targets.repo.ts'

/** Which devices a campaign would take in, by the version they run, and how they would get there. */
export async function previewOf(
  scope: TenantScope,
  target: packages.PackageRow,
  query: TargetQuery,
  { allowDowngrade = false, trial }: { allowDowngrade?: boolean; trial: boolean },
): Promise<OtaPreview> {
  const product = await findProduct(scope, target.productId)
  const reach = createReach({
    toVersion: target.version,
    orderNo: target.orderNo,
    packages: await packages.packagesOfModule(scope, target.productId, target.module),
    verifiedOnly: !trial && product?.firmware.requireVerified === true,
    trial: trial ? target.id : null,
    allowDowngrade,
    fromVersions: query.scope.fromVersions,
  })
  const result: OtaPreview = {
    matching: 0,
    targets: 0,
    upToDate: 0,
    newer: 0,
    noPath: 0,
    versionUnknown: 0,
    busy: 0,
    offline: 0,
    totalBytes: 0,
    paths: [],
  }
  for (const { version, devices, offline, busy } of await targetVersions(scope, query)) {
    const { why, steps } = reach(version)
    if (why === 'not_chosen') continue
    result.matching += devices
    if (version === null) result.versionUnknown += devices
    if (why === 'up_to_date') result.upToDate += devices
    else if (why === 'newer') result.newer += devices
    else if (why === 'no_path') result.noPath += devices
    else if (steps) {
      result.targets += devices
      result.offline += offline
      result.busy += busy
      const totalBytes = bytesOf(steps)
      result.totalBytes += totalBytes * devices
      if (result.paths.length < 50) result.paths.push({ fromVersion: version, devices, steps, totalBytes })
    }
  }
  return result
}
