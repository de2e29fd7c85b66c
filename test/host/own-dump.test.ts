import { Readable } from 'node:stream'
import fc from 'fast-check'
import t from 'tap'
import { ownDump } from '../../src/host/databases/own-dump.ts'

// Tests the statements that are left out of a dump before MariaDB's client gets it, and no others.

/** Filters a dump in pieces of this length; returns the rest and the reports. */
async function pass(dump: string | Buffer, length = 65_536) {
  const { stream, reported } = ownDump('alice_shop')
  const whole = Buffer.from(dump)
  const pieces = Array.from({ length: Math.ceil(whole.length / length) }, (_, index) =>
    whole.subarray(index * length, (index + 1) * length),
  )
  const kept: Buffer[] = []
  for await (const piece of Readable.from(pieces).pipe(stream)) kept.push(piece)
  return { kept: Buffer.concat(kept), reported: reported() }
}
const kept = async (dump: string, length?: number) => (await pass(dump, length)).kept.toString()

const left: [dump: string, kept: string][] = [
  ['CREATE DEFINER=`root`@`localhost` PROCEDURE p() BEGIN END', 'CREATE  PROCEDURE p() BEGIN END'],
  ["create or replace definer = 'a''b'@'%' function f() returns int return 1;", ''],
  ['CREATE DEFINER=root@localhost SQL SECURITY INVOKER VIEW v AS SELECT 1;', ''],
  ['CREATE DEFINER=CURRENT_USER() TRIGGER t BEFORE INSERT ON x FOR EACH ROW SET @a = 1;', ''],
  [
    '/*!50001 CREATE ALGORITHM=UNDEFINED */\n/*!50013 DEFINER=`a``b`@`%` SQL SECURITY DEFINER */',
    '',
  ],
  ['/*!50003 CREATE*/ /*!50017 DEFINER=`a`@`b`*/ /*!50003 TRIGGER t BEFORE INSERT ON x */;;', ''],
  ['/*M!100100 CREATE*/ -- it`s\n# "\n/* \' */ DEFINER=a@b.example EVENT e DO SELECT 1', ''],
  ['ALTER DEFINER=`a`@`b` VIEW v AS SELECT 1;', ''],
  ['DELIMITER ;;\nCREATE DEFINER=`a`@`b` FUNCTION f() BEGIN SELECT 1; END ;;\nDELIMITER ;\n', ''],
  ['SELECT 2*/*it`s*/3; CREATE DEFINER=a@b VIEW v AS SELECT 1', ''],
]
// The longest first.
const clause = new RegExp(
  [
    "DEFINER=CURRENT_USER\\(\\)|DEFINER=`root`@`localhost`|definer = 'a''b'@'%'",
    'DEFINER=root@localhost|DEFINER=`a``b`@`%`|DEFINER=`a`@`b`|DEFINER=a@b.example|DEFINER=a@b',
  ].join('|'),
)

t.test('the definer of a view or routine is left out, however it is cut', async t => {
  for (const [dump, desired] of left) {
    const without = desired || dump.replace(clause, '')
    t.not(without, dump)
    for (const length of [1, 7, 65_536]) t.equal(await kept(dump, length), without)
  }
})

const same = [
  `INSERT INTO t VALUES ('; CREATE DEFINER=a@b VIEW v', "; CREATE DEFINER=a@b VIEW v");`,
  String.raw`INSERT INTO t VALUES ('it''s\\', '\'; CREATE DEFINER=a@b VIEW v');`,
  'INSERT INTO `; CREATE DEFINER=a@b VIEW v` VALUES (1);',
  '-- ; CREATE DEFINER=a@b VIEW v\nSELECT 1;',
  "# it's\n/* ; CREATE DEFINER=a@b */ SELECT 1 --1;",
  "/*!80013 it's; CREATE DEFINER=a@b VIEW v */ SELECT 1;",
  '/*!999999 it`s ; CREATE DEFINER=a@b VIEW v */ SELECT 1;',
  'CREATE TABLE t (definer INT DEFAULT 1); UPDATE t SET definer=a;',
  'DELIMITER //\nCREATE PROCEDURE p() BEGIN SELECT 1; SELECT definer=a; END //\nDELIMITER ;\n',
  'CREATE DEFINER',
  "INSERT INTO t VALUES ('never ends; CREATE DEFINER=a@b VIEW v",
  // Where a quote ends is another matter from there on.
  String.raw`SET sql_mode = 'NO_BACKSLASH_ESCAPES'; SELECT 'a\'; CREATE DEFINER=a@b VIEW v`,
  '/*!40101 SET NAMES gbk */; CREATE DEFINER=a@b VIEW v',
  '\xff\xfe\x00 é 日本',
]

t.test('data, comments and other words stay as they are', async t => {
  for (const dump of same) {
    for (const length of [1, 7, 65_536]) t.equal(await kept(dump, length), dump)
  }
})

t.test('data of any kind stays byte for byte', async t => {
  const escaped = (text: string) =>
    text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')
  const piece = fc.constantFrom(
    ...["'", '"', '`', '\\', ';', '--', '-- ', '#', '/*', '/*!', '*/', '\n', ' ', 'é', '\0'],
    ...['CREATE ', 'DEFINER=a@b', ' VIEW v', 'DELIMITER //\n', 'USE x;', 'SET NAMES gbk;', 'x'],
  )
  const data = fc.array(piece, { maxLength: 40 }).map(all => all.join(''))
  await fc.assert(
    fc.asyncProperty(
      fc.array(data, { maxLength: 5 }),
      fc.integer({ min: 1, max: 90 }),
      async (all, length) => {
        const rows = all.map(text => `('${escaped(text)}')`).join(',')
        const dump = `INSERT INTO \`t\` VALUES ${rows || '(1)'};\n`
        const { kept, reported } = await pass(
          `${dump}CREATE DEFINER=a@b VIEW v AS SELECT 1;\n`,
          length,
        )
        t.equal(kept.toString(), `${dump}CREATE  VIEW v AS SELECT 1;\n`)
        t.strictSame(reported, [])
      },
    ),
  )
  const large = Buffer.alloc(3_000_000, `'; CREATE DEFINER=a@b VIEW v;`)
  const dump = Buffer.concat([Buffer.from('SELECT "'), large, Buffer.from('"; SELECT 1;')])
  t.ok((await pass(dump)).kept.equals(dump))
})

t.test('statements for another database are reported, whatever its name', async t => {
  const dump = 'USE alice_shop;\nSELECT 1;\nuse `old shop`; SELECT "USE x;";\n/* USE y; */\n\\u z\n'
  const { kept, reported } = await pass(dump)
  t.equal(kept.toString(), dump)
  t.match(reported, [/^USE old shop: the rest is for another database/, /^USE z: /])
  t.equal(reported.length, 2)
})
