// The arguments that an ICU message takes, read from its text by the type checker.

/** A text, or a number, which is written as the locale writes numbers. */
export type Value = string | number

type Kind = 'value' | 'number'
/** An argument with its kind. */
type Found = [name: string, kind: Kind]

// Follows the braces. The modes are those of the open braces: 't' is text, in which a brace begins
// an argument; 'b' is the list of branches of a plural or a select, in which one begins text.
type Scan<
  Text extends string,
  Modes extends string,
  All extends Found,
> = Text extends `${infer Before}{${infer After}`
  ? Before extends `${string}}${string}`
    ? Text extends `${string}}${infer Rest}`
      ? Scan<Rest, Modes extends `${string}>${infer Outer}` ? Outer : 't', All>
      : never
    : Modes extends `t${string}`
      ? Opened<After, Modes, All>
      : Scan<After, `t>${Modes}`, All>
  : All

type Opened<
  Text extends string,
  Modes extends string,
  All extends Found,
> = Text extends `${infer Head}}${infer Rest}`
  ? Head extends `${infer Name}, ${infer Kind},${string}`
    ? Text extends `${Name}, ${Kind},${infer Branches}`
      ? Scan<Branches, `b>${Modes}`, All | [Name, Kind extends 'plural' ? 'number' : 'value']>
      : never
    : Head extends `${infer Name}, number`
      ? Scan<Rest, Modes, All | [Name, 'number']>
      : Scan<Rest, Modes, All | [Head, 'value']>
  : All

type Types = { value: Value; number: number }
type All<Text extends string> = Scan<Text, 't', never>

/** The arguments of a message by name: `{ n: number }` for `{n, plural, …}`. */
export type Arguments<Text extends string> = {
  [Each in All<Text> as Each[0]]: Types[Each[1]]
}

type Joined<Parts extends readonly string[]> = Parts extends readonly [
  infer First extends string,
  ...infer Rest extends readonly string[],
]
  ? Rest extends readonly []
    ? First
    : `${First} ${Joined<Rest>}`
  : ''

/** Returns a message that is too long for a line: its parts, with a space between them. */
export const lines = <const Parts extends readonly string[]>(...parts: Parts): Joined<Parts> =>
  parts.join(' ') as Joined<Parts>
