export { type Block, blocksOf } from './blocks.ts'
export * from './cover.ts'
export * from './draw/catalogue.ts'
export {
  ELEMENT_GROUPS,
  type ElementGroup,
  type ElementKind,
  type ElementProp,
  lookOf,
  shownNumber,
} from './draw/element.ts'
export { alarmSign } from './draw/meters.ts'
export { LEVEL_COLOURS, type Shape } from './draw/shape.ts'
export { qrShapes } from './draw/widgets.ts'
export * from './expression.ts'
export * from './ground.ts'
export * from './map-devices.ts'
export * from './migrate.ts'
export * from './read-scene.ts'
export * from './scene.ts'
export * from './templates/templates.ts'
export * from './values.ts'
