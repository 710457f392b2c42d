namespace Loxo.Sql;

/// <summary>The scanner works on bytes and takes all above 127 for letters: even a no-break space belongs to identifiers.</summary>
internal static class SqlCharacters
{
    private const byte Space = 1;
    private const byte Letter = 2;
    private const byte Digit = 4;
    private const byte Dollar = 8;
    private const byte Operator = 16;

    private static ReadOnlySpan<byte> Classes =>
    [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, // \t \n \v \f \r
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        1, 16, 0, 16, 8, 16, 16, 0, 0, 0, 16, 16, 0, 16, 0, 16, // space ! # $ % & * + - /
        4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 0, 0, 16, 16, 16, 16, // 0-9 < = > ?
        16, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, // @ A-O
        2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 16, 2, // P-Z ^ _
        16, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, // ` a-o
        2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 16, 0, 16, 0, // p-z | ~
    ];

    public static bool IsSpace(char c) => Is(c, Space);

    public static bool IsDigit(char c) => c is >= '0' and <= '9';

    public static bool IsOperator(char c) => Is(c, Operator);

    /// <summary>A character that may begin an identifier or the tag of a dollar quote.</summary>
    public static bool IsIdentifierStart(char c) => Is(c, Letter);

    /// <summary>A character that may go on in a number or in the tag of a dollar quote.</summary>
    public static bool IsAlphanumeric(char c) => Is(c, Letter | Digit);

    /// <summary>A character that may go on in an identifier.</summary>
    public static bool IsIdentifierPart(char c) => Is(c, Letter | Digit | Dollar);

    private static bool Is(char c, int classes) => ((c < 128 ? Classes[c] : Letter) & classes) != 0;
}
