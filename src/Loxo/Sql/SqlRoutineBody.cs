namespace Loxo.Sql;

/// <summary>Whether words stand in a routine's <c>BEGIN ATOMIC ... END</c>, where a <c>;</c> does not end the statement.</summary>
internal struct SqlRoutineBody
{
    private enum Heading
    {
        Start,
        Create,
        CreateOr,
        CreateOrReplace,
        Routine,
        Begin,
        Body,
        Other,
    }

    private Heading _heading;
    private int _depth;
    private bool _nameFollows;

    public readonly bool IsOpen => _depth > 0;

    public void See(SqlTokenKind kind, ReadOnlySpan<char> text)
    {
        if (_heading == Heading.Other)
            return;
        if (_heading == Heading.Body)
        {
            Follow(kind, text);
            return;
        }
        _heading = kind == SqlTokenKind.Word ? Next(text) : _heading >= Heading.Routine ? Heading.Routine : Heading.Other;
        _depth = _heading == Heading.Body ? 1 : 0;
    }

    private readonly Heading Next(ReadOnlySpan<char> word) => _heading switch
    {
        Heading.Start when Is(word, "create") => Heading.Create,
        Heading.Create when Is(word, "or") => Heading.CreateOr,
        Heading.CreateOr when Is(word, "replace") => Heading.CreateOrReplace,
        Heading.Create or Heading.CreateOrReplace when Is(word, "function") || Is(word, "procedure") => Heading.Routine,
        Heading.Routine or Heading.Begin when Is(word, "begin") => Heading.Begin,
        Heading.Begin when Is(word, "atomic") => Heading.Body,
        Heading.Routine or Heading.Begin => Heading.Routine,
        _ => Heading.Other,
    };

    private void Follow(SqlTokenKind kind, ReadOnlySpan<char> text)
    {
        if (kind == SqlTokenKind.Word && !_nameFollows)
            _depth += Is(text, "case") ? 1 : Is(text, "end") ? -1 : 0;
        _nameFollows = kind == SqlTokenKind.Word ? Is(text, "as") : text is ".";
        if (_depth == 0)
            _heading = Heading.Other;
    }

    private static bool Is(ReadOnlySpan<char> word, string keyword) => Ascii.EqualsIgnoreCase(word, keyword);
}
