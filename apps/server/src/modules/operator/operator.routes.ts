import { announcementsContract, operatorContract } from '@thingwright/contracts/operator.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { OperatorModule } from './operator.module.ts'

export function operatorRoutes(desk: Omit<OperatorModule, 'routes'>): BoundRoute[] {
  const { companies, approvals, announcements, jobs, settings } = desk
  const c = operatorContract
  return [
    bind(c.companies, (ctx, { query }) => companies.list(ctx, query)),
    bind(c.exportCompanies, (ctx, { query }) => companies.export(ctx, query)),
    bind(c.company, (ctx, { params }) => companies.get(ctx, params.id)),
    bind(c.createCompany, (ctx, { body }) => companies.create(ctx, body)),
    bind(c.setTerm, (ctx, { params, body }) => companies.setTerm(ctx, params.id, body)),
    bind(c.freeze, (ctx, { params, body }) => companies.freeze(ctx, params.id, body.reason)),
    bind(c.unfreeze, (ctx, { params }) => companies.unfreeze(ctx, params.id)),
    bind(c.setQuotas, (ctx, { params, body }) => companies.setQuotas(ctx, params.id, body)),
    bind(c.enter, (ctx, { params }) => companies.enter(ctx, params.id)),
    bind(c.approvals, (ctx, { query }) => approvals.list(ctx, query)),
    bind(c.decide, (ctx, { params, body }) => approvals.decide(ctx, params.kind, params.id, body)),
    bind(c.approvalFile, (ctx, { params }) => approvals.file(ctx, params.kind, params.id, params.fileId)),
    bind(c.health, () => desk.health()),
    bind(c.jobs, (ctx, { query }) => jobs.list(ctx, query)),
    bind(c.cancelJob, (ctx, { params }) => jobs.cancel(ctx, params.id)),
    bind(c.retryJob, (ctx, { params }) => jobs.retry(ctx, params.id)),
    bind(c.announcements, (ctx, { query }) => announcements.list(ctx, query)),
    bind(c.createAnnouncement, (ctx, { body }) => announcements.create(ctx, body)),
    bind(c.updateAnnouncement, (ctx, { params, body }) => announcements.update(ctx, params.id, body)),
    bind(c.publishAnnouncement, (ctx, { params }) => announcements.publish(ctx, params.id)),
    bind(c.withdrawAnnouncement, (ctx, { params }) => announcements.withdraw(ctx, params.id)),
    bind(c.removeAnnouncement, (ctx, { params }) => announcements.remove(ctx, params.id)),
    bind(c.settings, () => settings.get()),
    bind(c.setSettings, (ctx, { body }) => settings.set(ctx, body)),
    bind(announcementsContract.current, ctx => announcements.current(ctx)),
  ]
}
