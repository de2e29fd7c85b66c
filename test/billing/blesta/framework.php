<?php

// Blesta's framework, as far as the module uses it: texts, views, forms and the checks of input.

define('DS', DIRECTORY_SEPARATOR);

final class Configure
{
    /** @var array<string, mixed> */
    private static $values = ['Blesta.system_key' => 'key of this Blesta'];

    public static function load(string $file, string $folder): void
    {
        require "$folder$file.php";
    }

    public static function set(string $name, $value): void
    {
        self::$values[$name] = $value;
    }

    public static function get(string $name)
    {
        return self::$values[$name] ?? null;
    }
}

class Language
{
    /** @var array<string, string> */
    public static $texts = ['AppController.modal.text_close' => 'Close'];

    public static function loadLang($file, $language = null, $folder = ''): void
    {
        $lang = [];
        require $folder . ($language ?? 'en_us') . DS . "$file.php";
        self::$texts = $lang + self::$texts;
    }

    public static function _($key, $return = false, ...$values)
    {
        if (!isset(self::$texts[$key])) {
            trigger_error("There is no text for $key", E_USER_WARNING);
        }
        $text = self::$texts[$key] ?? '';
        $text = $values === [] ? $text : vsprintf($text, $values);
        if ($return) {
            return $text;
        }
        echo $text;
    }
}

final class Loader
{
    public static function loadComponents($parent, array $names): void
    {
        foreach ($names as $name) {
            $parent->$name = $parent->$name ?? new $name();
        }
    }

    public static function loadModels($parent, array $names): void
    {
        foreach ($names as $name) {
            $class = "PanelTest\\Models\\$name";
            $parent->$name = new $class();
        }
    }

    public static function loadHelpers($parent, array $names): void
    {
        foreach ($names as $name) {
            $parent->$name = new $name();
            $parent->view->$name = $parent->$name;
        }
    }
}

/** Only what a module's views use; fetch() gives them the same scope as the framework's own. */
#[\AllowDynamicProperties]
class View extends Language
{
    /** @var string Blesta's root */
    public static $root = '';

    private $file;
    private $folder;
    private $vars = [];

    public function __construct(string $file, string $folder)
    {
        [$this->file, $this->folder] = [$file, $folder];
    }

    public function setDefaultView(string $path): void
    {
        $this->folder = self::$root . DS . $path . 'views' . DS . $this->folder . DS;
    }

    public function set(string $name, $value): void
    {
        $this->vars[$name] = $value;
    }

    public function fetch(): string
    {
        extract($this->vars);
        ob_start();
        include "$this->folder$this->file.pdt";
        return ob_get_clean();
    }
}

class Html
{
    public function safe($text): string
    {
        return htmlspecialchars((string) $text, ENT_QUOTES | ENT_SUBSTITUTE, 'UTF-8');
    }

    protected function tag(string $name, array $attributes): string
    {
        $html = "<$name";
        foreach ($attributes as $key => $value) {
            $html .= " $key=\"" . $this->safe($value) . '"';
        }
        return "$html>";
    }
}

/** Escapes its arguments, and puts the session's token into each form. */
final class Form extends Html
{
    public const CSRF = 'token-of-the-session';

    public function create($uri = null, array $attributes = []): void
    {
        echo $this->tag('form', ['method' => 'post', 'action' => $uri ?? '/here'] + $attributes);
        $this->fieldHidden('_csrf_token', self::CSRF);
    }

    public function end(): void
    {
        echo '</form>';
    }

    public function label($text, $for = null, array $attributes = []): void
    {
        echo $this->tag('label', ['for' => $for] + $attributes) . $this->safe($text) . '</label>';
    }

    public function fieldHidden($name, $value = null, array $attributes = []): void
    {
        $this->input('hidden', $name, ['value' => $value] + $attributes);
    }

    public function fieldText($name, $value = null, array $attributes = []): void
    {
        $this->input('text', $name, ['value' => $value] + $attributes);
    }

    public function fieldPassword($name, array $attributes = []): void
    {
        $this->input('password', $name, $attributes);
    }

    public function fieldSubmit($name, $value = null, array $attributes = []): void
    {
        $this->input('submit', $name, ['value' => $value] + $attributes);
    }

    private function input(string $type, string $name, array $attributes): void
    {
        echo $this->tag('input', ['type' => $type, 'name' => $name] + $attributes);
    }
}

final class Widget extends Html
{
    private $buttons = [];

    public function clear(): void
    {
        $this->buttons = [];
    }

    public function setLinkButtons(array $buttons): void
    {
        $this->buttons = $buttons;
    }

    public function create($title = '', array $attributes = []): void
    {
        echo $this->tag('section', $attributes) . "<h2>$title</h2>";
        foreach ($this->buttons as $button) {
            echo $this->tag('a', $button['attributes']) . $this->safe($button['name']) . '</a>';
        }
    }

    public function end(): void
    {
        echo '</section>';
    }
}

/** Checks like the framework's own, with rules of the same names. */
final class Input
{
    private $rules = [];
    private $errors = [];

    public function setRules(array $rules): void
    {
        $this->rules = $rules;
        $this->errors = [];
    }

    public function setErrors(array $errors): void
    {
        $this->errors = $errors;
    }

    public function errors()
    {
        return $this->errors === [] ? false : $this->errors;
    }

    public function validates(&$data): bool
    {
        // Values that are no arrays pass, because no rule can apply to a part of them.
        foreach (is_array($data) ? $this->rules : [] as $index => $rules) {
            $path = explode('[', str_replace(']', '', $index));
            $value = $data;
            foreach ($path as $key) {
                $value = is_array($value) ? $value[$key] ?? null : null;
            }
            foreach ($rules as $type => $rule) {
                if ($value === null && ($rule['if_set'] ?? false)) {
                    continue;
                }
                $holds = $this->holds((array) $rule['rule'], $value, $data);
                if ($holds === ($rule['negate'] ?? false)) {
                    $this->errors[$index][$type] = $rule['message'];
                }
            }
        }
        return $this->errors === [];
    }

    public function isEmpty($value): bool
    {
        return !isset($value) || strlen($value) === 0;
    }

    public function compares($one, string $operator, $other): bool
    {
        return $operator === '===' ? $one === $other : $one == $other;
    }

    private function holds(array $rule, $value, array $data): bool
    {
        $method = array_shift($rule);
        $parameters = array_map(static function ($given) use ($data) {
            return isset($given['_linked']) ? $data[$given['_linked']] ?? null : $given;
        }, $rule);
        $callable = is_string($method) ? [$this, $method] : $method;
        return (bool) $callable($value, ...$parameters);
    }
}
