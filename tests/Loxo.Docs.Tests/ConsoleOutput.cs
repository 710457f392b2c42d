using System.Text;

namespace Loxo.Docs.Tests;

/// <summary>What is written to the console until it is disposed, to be looked at meanwhile, too.</summary>
internal sealed class ConsoleOutput : TextWriter
{
    private readonly TextWriter _console = Console.Out;
    private readonly StringBuilder _text = new();

    public ConsoleOutput() => Console.SetOut(this);

    public override Encoding Encoding => Encoding.Unicode;

    public string Text
    {
        get
        {
            lock (_text)
                return _text.ToString();
        }
    }

    public override void Write(char value)
    {
        lock (_text)
            _text.Append(value);
    }

    public override void Write(string? value)
    {
        lock (_text)
            _text.Append(value);
    }

    protected override void Dispose(bool disposing)
    {
        Console.SetOut(_console);
        base.Dispose(disposing);
    }
}
