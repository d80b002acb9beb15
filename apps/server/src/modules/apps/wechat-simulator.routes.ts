import { wechatSimulatorContract as act } from '@thingwright/contracts/wechat-simulator.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { WechatSimulatorService } from './wechat-simulator.service.ts'

export const wechatSimulatorRoutes = (simulator: WechatSimulatorService): BoundRoute[] => [
  bind(act.scan, (ctx, { params, body }) => simulator.scan(ctx, params.id, body.ticket)),
  bind(act.unfollow, (ctx, { params, body }) => simulator.unfollow(ctx, params.id, body.followerId)),
  bind(act.authorize, (ctx, { body }) => simulator.authorize(ctx, body.address)),
  bind(act.decide, (ctx, { params, body }) => simulator.decide(ctx, params.id, body)),
]
