import { menusContract } from '@thingwright/contracts/identity.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { MenusService } from './menus.service.ts'

export function menusRoutes(menus: MenusService): BoundRoute[] {
  return [bind(menusContract.mine, ctx => menus.mine(ctx))]
}
