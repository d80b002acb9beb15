import { menusContract } from '@thingwright/contracts/identity.contract'
import { menuEditorContract } from '@thingwright/contracts/menu-editor.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { MenuEditorService } from './menu-editor.service.ts'
import type { MenusService } from './menus.service.ts'

export function menusRoutes(menus: MenusService, editor: MenuEditorService): BoundRoute[] {
  return [
    bind(menusContract.mine, ctx => menus.mine(ctx)),
    bind(menuEditorContract.list, ctx => editor.list(ctx)),
    bind(menuEditorContract.create, (ctx, { body }) => editor.create(ctx, body)),
    bind(menuEditorContract.update, (ctx, { params, body }) => editor.update(ctx, params.id, body)),
    bind(menuEditorContract.remove, (ctx, { params }) => editor.remove(ctx, params.id)),
    bind(menuEditorContract.reset, ctx => editor.reset(ctx)),
  ]
}
