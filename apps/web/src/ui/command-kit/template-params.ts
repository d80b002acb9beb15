import type { CommandTemplateView } from '@thingwright/contracts/command-templates.contract'
import type { Param } from '@thingwright/thing-model/model'
import type { Field, Values } from '../schema-form/field.ts'
import { fieldsOfParams } from '../schema-form/from-thing-model.ts'

type Body = CommandTemplateView['body']

/** Form fields for the parameters of a template. */
export function templateFields(body: Body, english: boolean): Field[] {
  const params = body.params.map(param => ({ ...param, required: param.required ?? true })) as unknown as Param[]
  return fieldsOfParams(params, { english })
}

/** What the parameters are when nobody says otherwise. */
export function templateDefaults(body: Body): Values {
  return Object.fromEntries(
    body.params.filter(param => param.default !== undefined).map(param => [param.identifier, param.default]),
  )
}
