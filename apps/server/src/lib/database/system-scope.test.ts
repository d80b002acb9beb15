import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { describe, expect, it } from 'vitest'

const SRC = join(import.meta.dirname, '../..')

/** Who may look past row-level security, and for what. A new line here is a decision, not a formality. */
const MAY_SEE_EVERY_COMPANY: Record<string, readonly string[]> = {
  'app/audit-verify.repo.ts': ['audit'],
  'app/backup': ['audit'],
  'app/company-jobs.ts': ['maintenance'],
  'app/demo.ts': ['seed'],
  'app/first-logins.ts': ['seed'],
  'app/health-report.ts': ['operator'],
  'app/reset-password.ts': ['sign-in'],
  'db/seeds': ['seed'],
  'lib/database/idempotency.ts': ['idempotency'],
  'modules/alarms/alarms.module.ts': ['alarms'],
  'modules/alarms/alarms.service.ts': ['live'],
  'modules/apps': ['apps'],
  'modules/assistant/assistant.module.ts': ['maintenance'],
  'modules/audit': ['audit'],
  'modules/card-orders': ['money'],
  'modules/company-transfers': ['company-transfers'],
  'modules/cloud-pages': ['cloud-pages'],
  'modules/commands/commands.service.ts': ['live'],
  'modules/contacts': ['alarms'],
  'modules/commands/command-batches.runner.ts': ['commands-sweep'],
  'modules/commands/command-schedules.runner.ts': ['commands-sweep'],
  'modules/device-identity/registrations.service.ts': ['device-sign-in'],
  'modules/developer': ['api-keys'],
  'modules/devices/device-purges.repo.ts': ['maintenance'],
  'modules/identity': ['sign-in', 'maintenance'],
  'modules/end-users/own-branding.ts': ['sign-in'],
  'modules/invoices': ['money'],
  'modules/media': ['media'],
  'modules/members': ['sign-in'],
  'modules/menus/menu-editor.service.ts': ['menu'],
  'modules/operator': ['operator'],
  'modules/ota': ['ota'],
  'modules/purchase-orders': ['money', 'seed'],
  'modules/sim-cards': ['sim-cards'],
  'modules/lora': ['lora'],
  'modules/telecom': ['telecom'],
  'modules/statistics': ['maintenance'],
  'modules/subscriptions/deliverers.ts': ['subscriptions'],
  'modules/tariffs': ['money'],
  'modules/tasks': ['tasks', 'operator'],
  'modules/timed-tasks': ['timed-tasks'],
  'modules/triggers': ['triggers'],
  'modules/video': ['video'],
  'modules/reports': ['reports'],
  'modules/tenants': ['company-status', 'operator', 'sign-in', 'maintenance'],
}

/** A limited caller's scope is lifted for these steps only. */
const MAY_SEE_THE_WHOLE_COMPANY: Record<string, readonly string[]> = {
  'modules/groups/groups.service.ts': ['hold', 'in-use'],
  'modules/members/ownership.service.ts': ['hand-over'],
  // What stands behind a device that the caller may touch: its product may be outside his scope.
  'modules/device-identity/device-identity.repo.ts': ['hold'],
  'modules/devices/batch/product-mapping.ts': ['hold'],
  'modules/devices/device-models.repo.ts': ['in-use'],
  'modules/devices/device-token.repo.ts': ['hold'],
  'modules/devices/import/import-history.ts': ['hold'],
  'modules/devices/import/import-run.ts': ['hold'],
  // Picture bytes that several owners share, and uses of the company's pictures by pages of end users.
  'modules/media/media.repo.ts': ['in-use'],
  'modules/media/media-owners.repo.ts': ['in-use'],
  'modules/ota/packages.service.ts': ['in-use'],
  'modules/products/products.service.ts': ['hold', 'in-use'],
  'modules/products/thing-models.service.ts': ['in-use'],
  'modules/roles/roles.explain.ts': ['explain'],
  'modules/roles/roles.service.ts': ['in-use'],
  // A card that is taken out of a device of the scope is no longer in the scope.
  'modules/sim-cards/cards.service.ts': ['hand-over'],
  'modules/video/video-channels.service.ts': ['hand-over'],
  // Tasks of other people that use a calendar or scene, and those of customers whose devices go.
  'modules/timed-tasks/calendars.service.ts': ['in-use'],
  'modules/timed-tasks/scenes.service.ts': ['in-use'],
  'modules/timed-tasks/timed-tasks.module.ts': ['hand-over'],
  // Triggers of the customers whose devices go: who hands over need not see them.
  'modules/triggers/triggers.module.ts': ['hand-over'],
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'testing' ? [] : sources(path)
    return entry.name.endsWith('.ts') && !/\.test\.ts$|fixtures\.ts$/.test(entry.name) ? [path] : []
  })
}

/** Every call in the source, with the reason it gives. */
function calls(name: string): { file: string; reason: string }[] {
  return sources(SRC).flatMap(path => {
    const file = relative(SRC, path).split(sep).join('/')
    if (file === 'lib/database/database.ts') return []
    const text = readFileSync(path, 'utf8')
    return [...text.matchAll(new RegExp(`\\b${name}(?:<[^(]*>)?\\(\\s*([^,)\\s]*)`, 'g'))].map(match => ({
      file,
      reason: match[1]!.replaceAll(/['"]/g, ''),
    }))
  })
}

function strangers(name: string, allowed: Record<string, readonly string[]>): string[] {
  return calls(name)
    .filter(
      ({ file, reason }) =>
        !Object.entries(allowed).some(
          ([where, reasons]) => (file === where || file.startsWith(`${where}/`)) && reasons.includes(reason),
        ),
    )
    .map(({ file, reason }) => `${file}: ${reason}`)
}

describe('looking past the policies', () => {
  it('at every company happens only where the list says, for the reason it says', () => {
    expect(calls('withSystemScope').length).toBeGreaterThan(10)
    expect(strangers('withSystemScope', MAY_SEE_EVERY_COMPANY)).toEqual([])
  })

  it('at the whole company of a limited caller happens only where the list says', () => {
    expect(calls('wholeCompany').length).toBeGreaterThan(4)
    expect(strangers('wholeCompany', MAY_SEE_THE_WHOLE_COMPANY)).toEqual([])
  })
})
