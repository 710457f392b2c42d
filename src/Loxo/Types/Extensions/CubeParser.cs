namespace Loxo.Types;

/// <summary>The text of a cube (cubescan.l and cubeparse.y, contrib/cube): blanks may stand between all parts.</summary>
internal static class CubeParser
{
    public static bool TryParse(ReadOnlySpan<char> text, out double[] corner, out double[] opposite)
    {
        var scanner = new CubeScanner(text);
        opposite = [];
        if (scanner.TryTake('['))
        {
            return scanner.TryTakeCorner(out corner) && scanner.TryTake(',') && scanner.TryTakeCorner(out opposite)
                && scanner.TryTake(']') && scanner.IsAtEnd;
        }
        if (scanner.Next != '(')
        {
            var isPoint = scanner.TryTakeNumbers(out corner) && scanner.IsAtEnd;
            opposite = corner;
            return isPoint;
        }
        if (!scanner.TryTakeCorner(out corner))
            return false;
        opposite = corner;
        return scanner.IsAtEnd || (scanner.TryTake(',') && scanner.TryTakeCorner(out opposite) && scanner.IsAtEnd);
    }

    private ref struct CubeScanner(ReadOnlySpan<char> text)
    {
        // Since version 17 the server takes \v for a blank too.
        private const string Blanks = " \t\n\f\r";

        private ReadOnlySpan<char> _rest = text.TrimStart(Blanks);

        public readonly bool IsAtEnd => _rest.IsEmpty;

        public readonly char Next => IsAtEnd ? '\0' : _rest[0];

        public bool TryTake(char expected)
        {
            if (Next != expected || IsAtEnd)
                return false;
            _rest = _rest[1..].TrimStart(Blanks);
            return true;
        }

        /// <summary>(1, 2), or nothing in parentheses.</summary>
        public bool TryTakeCorner(out double[] corner)
        {
            corner = [];
            return TryTake('(') && (TryTake(')') || (TryTakeNumbers(out corner) && TryTake(')')));
        }

        /// <summary>Numbers with commas between them, one at least.</summary>
        public bool TryTakeNumbers(out double[] numbers)
        {
            var found = new List<double>();
            numbers = [];
            do
            {
                if (!TryTakeNumber(out var number))
                    return false;
                found.Add(number);
            }
            while (TryTake(','));
            numbers = [.. found];
            return true;
        }

        // To the scanner of the server NaN has no sign.
        private bool TryTakeNumber(out double number)
        {
            if (!FloatText.TryTake(_rest, out number, out var length) || (double.IsNaN(number) && length > 3))
                return false;
            _rest = _rest[length..].TrimStart(Blanks);
            return true;
        }
    }
}
