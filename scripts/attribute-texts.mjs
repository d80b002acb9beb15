// Texts of the console come from its locale files in attributes and settings too: `title`, `aria-label`, a column's
// `label`. Text between tags is Biome's matter. node scripts/attribute-texts.mjs FOLDER ... looks at other projects.
import { join } from 'node:path'
import { SyntaxKind } from 'typescript-native/unstable/ast'
import { root } from './lib.mjs'
import { lookThrough, printed } from './typed-files.mjs'

/** What people read or hear of these. */
const NAMES = new Set(
  `title label alt aria-label aria-description aria-placeholder aria-roledescription aria-valuetext placeholder
  okText cancelText emptyText tooltip description message hint help extra heading subTitle note caption suffix
  addonBefore addonAfter checkedChildren unCheckedChildren`.split(/\s+/),
)
/** The same in both languages: names, units, signs. */
const SAME = new Set(['Authorization', 'JSON', 'Node', 'QoS', 'clientId', 'curl', 'ms'])

/** Words as people write them: two in a row, or one with a capital. Examples of what is typed in are none. */
const SENTENCE = /[\u4e00-\u9fff]|[A-Za-z]{2,},? (?:[a-z] )?[a-z]{2,}|^[A-Z][a-z]{2,}\W*$/

/**
 * The gate over hard-coded texts.
 * @param {string[]} folders of what people look at
 */
export const attributeTexts = (folders = [join(root, 'apps/web')]) => ({
  name: 'no text in attributes',
  look({ file, name, problem }) {
    if (!folders.some(folder => name.startsWith(`${folder}/`)) || /\.test\.tsx?$|\/testing\//.test(name)) return 0
    let places = 0
    const visit = node => {
      const isAttribute = node.kind === SyntaxKind.JsxAttribute
      if (isAttribute || node.kind === SyntaxKind.PropertyAssignment) {
        const called = file.text.slice(node.name.pos, node.name.end).trim()
        if (NAMES.has(called) && node.initializer)
          for (const text of literals(node.initializer)) {
            places += 1
            const hasWords = (text.match(/\p{L}{2,}/gu) ?? []).some(word => !SAME.has(word))
            // Attributes are read; a setting of the same name can also be a word of a program.
            const mayBeNone = !isAttribute || called === 'placeholder'
            if (hasWords && (!mayBeNone || SENTENCE.test(text)))
              problem(node, `${called} is "${text}"; texts stand in locale files`)
          }
      }
      node.forEachChild(visit)
    }
    visit(file)
    return places
  },
})

/** The texts that an expression can be, with … for what is known at run time only. */
function literals(node) {
  switch (node.kind) {
    case SyntaxKind.StringLiteral:
    case SyntaxKind.NoSubstitutionTemplateLiteral:
      return [node.text]
    case SyntaxKind.TemplateExpression:
      return [[node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')]
    case SyntaxKind.JsxExpression:
    case SyntaxKind.ParenthesizedExpression:
    case SyntaxKind.AsExpression:
      return node.expression ? literals(node.expression) : []
    case SyntaxKind.ConditionalExpression:
      return [...literals(node.whenTrue), ...literals(node.whenFalse)]
    case SyntaxKind.BinaryExpression:
      return [SyntaxKind.BarBarToken, SyntaxKind.QuestionQuestionToken, SyntaxKind.PlusToken].includes(
        node.operatorToken.kind,
      )
        ? [...literals(node.left), ...literals(node.right)]
        : node.operatorToken.kind === SyntaxKind.AmpersandAmpersandToken
          ? literals(node.right)
          : []
    default:
      return []
  }
}

if (process.argv[1] === import.meta.filename) {
  const folders = process.argv.slice(2)
  process.exit(printed(lookThrough([folders.length > 0 ? attributeTexts(folders) : attributeTexts()], folders)))
}
