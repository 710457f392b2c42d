namespace Loxo.Reading;

/// <summary>How far GetChars has come in which column of which row, so that a call that continues decodes nothing twice.</summary>
internal struct TextPosition
{
    private TextReader? _text;
    private long _version;
    private int _ordinal;
    private long _taken;

    public readonly bool IsBefore(long version, int ordinal, long offset) =>
        _text is not null && _version == version && _ordinal == ordinal && offset >= _taken;

    public void Start(TextReader text, long version, int ordinal) => (_text, _version, _ordinal, _taken) = (text, version, ordinal, 0);

    public int Read(long offset, Span<char> target)
    {
        Span<char> passed = stackalloc char[256];
        while (_taken < offset)
        {
            var skipped = _text!.ReadBlock(passed[..(int)Math.Min(passed.Length, offset - _taken)]);
            if (skipped == 0)
                return 0;
            _taken += skipped;
        }
        var count = _text!.ReadBlock(target);
        _taken += count;
        return count;
    }
}
